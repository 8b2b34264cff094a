#include "cache/freshness.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <variant>

#include "cache/fingerprint.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

using Reasons = std::vector<std::string>;

// `--dtype` and `--trait` only where they differ from what `tune` takes by default.
std::string retune_command(const Record& record, const Space& space) {
  auto command = "run `hiptune tune " + space.kernel;
  for (const auto& [name, extent] : record.dimensions) command += " --" + name + " " + std::to_string(extent);
  if (space.dtypes.empty() || record.dtype != space.dtypes.front()) command += " --dtype " + to_string(record.dtype);
  for (const auto& [name, value] : record.traits) {
    const auto* trait = space.find_trait(name);
    const bool is_default = trait != nullptr && trait->values.at(trait->default_index) == value;
    if (!is_default) command += " --trait " + name + "=" + to_string(value);
  }
  if (record.provenance.target.id != "host") command += " --device " + record.provenance.target.id;
  return command + "`";
}

Problem problem_now(const Record& record, const Space& space) {
  std::vector<std::int64_t> extents;
  for (const auto& [name, extent] : record.dimensions) extents.push_back(extent);
  auto problem = make_problem(space, extents, record.dtype, record.traits);
  const auto key = to_string(space, problem);
  if (key != problem_key(record)) throw bad_input("the kernel now calls this problem " + key);
  return problem;
}

void require_in_space(const Record& record, const Space& space) {
  for (std::size_t i = 0; i < record.ties.size(); ++i) {
    static_cast<void>(make_config(space, record.ties[i], "tie " + std::to_string(i)));
  }
  for (const auto& baseline : record.baselines) {
    static_cast<void>(make_config(space, baseline.config, "baseline " + baseline.name));
  }
}

// Why the entry is not legal for the kernel as it is.
std::optional<std::string> why_illegal(const Record& record, const Space& space) {
  try {
    const auto problem = problem_now(record, space);
    const auto config = make_config(space, record.config, "configuration");
    require_in_space(record, space);
    return why_invalid(space, problem, record.provenance.target.facts, config);
  } catch (const Error& error) {
    return error.what();
  }
}

Reasons changed_files(const Fingerprints& then, const Fingerprints& now) {
  Reasons changed;
  if (then.source != now.source) changed.emplace_back("the template changed");
  if (then.device_layer != now.device_layer) changed.emplace_back("the device layer changed");
  if (then.space != now.space) changed.emplace_back("the search space changed");
  if (then.reference != now.reference) changed.emplace_back("the reference changed");
  return changed;
}

std::optional<std::string> why_misplaced(const CacheKey& key, const Record& record) {
  const auto& target = record.provenance.target;
  const auto right = cache_key(target, key.kernel).device;
  if (right == key.device) return std::nullopt;
  return "the entry was tuned on " + target.architecture + " " + target.name + ": move it to the folder " + right;
}

Verdict judge(const CacheKey& key, const Record& record, const Space& space, const Fingerprints& now) {
  Verdict verdict{key, problem_key(record), Freshness::fresh, {}};
  const auto mend = retune_command(record, space);
  if (const auto why = why_misplaced(key, record)) verdict.reasons.push_back(*why);
  if (const auto why = why_illegal(record, space)) verdict.reasons.push_back(*why + ": " + mend);
  for (const auto& change : changed_files(record.provenance.fingerprints, now)) {
    verdict.reasons.push_back(change + " since it was tuned: " + mend);
  }
  if (!verdict.reasons.empty()) verdict.freshness = Freshness::stale;
  return verdict;
}

// A kernel as it is now, or why it cannot be read.
struct CurrentKernel {
  Kernel kernel;
  Fingerprints fingerprints;
};
using Current = std::variant<CurrentKernel, std::string>;

Current read_current(const KernelPath& path, const std::string& name) {
  try {
    auto kernel = path.load(name);
    auto fingerprints = fingerprints_of(kernel);
    return CurrentKernel{std::move(kernel), std::move(fingerprints)};
  } catch (const Error& error) {
    return std::string(error.what());
  }
}

Verdict judge_against(const CacheKey& key, const Record& record, const Current& current) {
  if (const auto* why = std::get_if<std::string>(&current)) {
    return {key, problem_key(record), Freshness::stale, {*why}};
  }
  const auto& [kernel, fingerprints] = std::get<CurrentKernel>(current);
  return judge(key, record, kernel.space, fingerprints);
}

Verdict damaged(const CacheKey& key, const std::string& what) { return {key, "", Freshness::damaged, {what}}; }

std::vector<Verdict> check_key(const Store& store, const CacheKey& key, const Current& current) {
  std::vector<Verdict> verdicts;
  try {
    const auto* known = std::get_if<CurrentKernel>(&current);
    const auto loaded = store.load(key, known == nullptr ? nullptr : &known->fingerprints);
    for (const auto& record : loaded.records) verdicts.push_back(judge_against(key, record, current));
    for (const auto& damage : loaded.damage) verdicts.push_back(damaged(key, to_string(damage) + ": " + damage.advice));
  } catch (const Error& error) {
    verdicts.push_back(damaged(key, error.what()));
  }
  return verdicts;
}

}  // namespace

std::string to_string(Freshness freshness) {
  switch (freshness) {
    case Freshness::fresh:
      return "fresh";
    case Freshness::stale:
      return "stale";
    case Freshness::damaged:
      return "damaged";
  }
  throw std::logic_error("no such freshness");
}

Verdict check_record(const CacheKey& key, const Record& record, const Kernel& kernel) {
  return judge(key, record, kernel.space, fingerprints_of(kernel));
}

std::vector<Verdict> check_store(const Store& store, const KernelPath& path) {
  std::map<std::string, Current> kernels;
  std::vector<Verdict> verdicts;
  for (const auto& key : store.keys()) {
    if (!kernels.contains(key.kernel)) kernels.emplace(key.kernel, read_current(path, key.kernel));
    const auto of_key = check_key(store, key, kernels.at(key.kernel));
    verdicts.insert(verdicts.end(), of_key.begin(), of_key.end());
  }
  return verdicts;
}

}  // namespace hiptune
