#include "cache/freshness.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <variant>

#include "cache/fingerprint.hpp"
#include "cache/retune.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using Reasons = std::vector<std::string>;

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
    const auto now = to_string(space, problem);
    if (now != problem_key(record)) return "the kernel now calls this problem " + now;
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

// What mends an entry that is stale: its problem tuned again, or where the kernel has none such, the entry removed.
std::string mending_command(const Record& record, const Kernel& kernel, const fs::path& cache) {
  try {
    return tune_command(kernel, problem_now(record, kernel.space), record.objective, record.provenance.target.id,
                        cache);
  } catch (const Error&) {
    return prune_command(kernel, cache);
  }
}

Verdict judge(const CacheKey& key, const Record& record, const Kernel& kernel, const Fingerprints& now,
              const fs::path& cache) {
  Verdict verdict{key, problem_key(record)};
  if (const auto why = why_misplaced(key, record)) {
    return {key, problem_key(record), Freshness::stale, {*why}};
  }
  if (const auto why = why_illegal(record, kernel.space)) verdict.reasons.push_back(*why);
  for (const auto& change : changed_files(record.provenance.fingerprints, now)) {
    verdict.reasons.push_back(change + " since it was tuned");
  }
  if (verdict.reasons.empty()) return verdict;
  verdict.freshness = Freshness::stale;
  verdict.command = mending_command(record, kernel, cache);
  return verdict;
}

// A kernel as it is now, or why it cannot be read.
struct CurrentKernel {
  Kernel kernel;
  Fingerprints fingerprints;
};
struct NoKernel {
  Freshness freshness;  // of its entries: unknown, or stale where a file of the kernel is wrong
  std::string why;
};
using Current = std::variant<CurrentKernel, NoKernel>;

Current read_current(const KernelPath& path, const std::string& name) {
  try {
    auto kernel = path.load(name);
    auto fingerprints = fingerprints_of(kernel);
    return CurrentKernel{std::move(kernel), std::move(fingerprints)};
  } catch (const Error& error) {
    const bool is_there = std::ranges::count(path.names(), name) > 0;
    if (is_there) return NoKernel{Freshness::stale, error.what()};
    return NoKernel{Freshness::unknown, "there is no kernel \"" + name +
                                            "\" in the folders searched: add --kernel-path FOLDER with its files, or, "
                                            "if it is gone for good, remove the file"};
  }
}

Verdict judge_against(const CacheKey& key, const Record& record, const Current& current, const fs::path& cache) {
  if (const auto* none = std::get_if<NoKernel>(&current)) {
    return {key, problem_key(record), none->freshness, {none->why}};
  }
  const auto& [kernel, fingerprints] = std::get<CurrentKernel>(current);
  return judge(key, record, kernel, fingerprints, cache);
}

Verdict judge_damage(const CacheKey& key, const Damage& damage, const Current& current, const fs::path& cache) {
  Verdict verdict{key, "", Freshness::damaged, {to_string(damage) + ": " + damage.advice}};
  if (!damage.claims) return verdict;
  verdict.problem = problem_key(*damage.claims);
  const auto* known = std::get_if<CurrentKernel>(&current);
  if (known == nullptr || is_orphan(*damage.claims, known->kernel.space)) return verdict;
  verdict.command = mending_command(*damage.claims, known->kernel, cache);
  return verdict;
}

std::vector<Verdict> check_key(const Store& store, const CacheKey& key, const Current& current) {
  std::vector<Verdict> verdicts;
  try {
    const auto* known = std::get_if<CurrentKernel>(&current);
    const auto loaded = store.load(key, known == nullptr ? nullptr : &known->fingerprints);
    for (const auto& record : loaded.records) verdicts.push_back(judge_against(key, record, current, store.root()));
    for (const auto& damage : loaded.damage) verdicts.push_back(judge_damage(key, damage, current, store.root()));
  } catch (const Error& error) {
    verdicts.push_back({key, "", Freshness::damaged, {error.what()}});
  }
  return verdicts;
}

std::vector<Verdict> prune_key(Store& store, const CacheKey& key, const CurrentKernel& current) {
  const auto& space = current.kernel.space;
  std::vector<Verdict> verdicts;
  try {
    const auto unwanted = [&](const Record& record) { return !why_misplaced(key, record) && is_orphan(record, space); };
    for (const auto& record : store.drop(key, &current.fingerprints, unwanted)) {
      verdicts.push_back(judge(key, record, current.kernel, current.fingerprints, store.root()));
    }
  } catch (const Error& error) {
    log().warn("{}: nothing is removed: {}", store.file_of(key).string(), error.what());
  }
  return verdicts;
}

// Every kernel is read once.
class CurrentKernels {
 public:
  explicit CurrentKernels(const KernelPath& path) : path_(path) {}
  const Current& at(const std::string& name) {
    const auto found = kernels_.find(name);
    return found != kernels_.end() ? found->second : kernels_.emplace(name, read_current(path_, name)).first->second;
  }

 private:
  const KernelPath& path_;
  std::map<std::string, Current> kernels_;
};

bool has_the_names(const Record& record, const Space& space) {
  return record.dimensions.size() == space.dimensions.size() &&
         std::ranges::all_of(space.dimensions, [&](const Dimension& dimension) {
           return std::ranges::count(record.dimensions, dimension.name, [](const auto& pair) { return pair.first; }) ==
                  1;
         });
}

// By name, in the space's order; by place where a dimension has another name than then.
std::vector<std::int64_t> extents_now(const Record& record, const Space& space) {
  std::vector<std::int64_t> extents;
  for (const auto& [name, extent] : record.dimensions) extents.push_back(extent);
  if (!has_the_names(record, space)) return extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto found =
        std::ranges::find(record.dimensions, space.dimensions[i].name, [](const auto& pair) { return pair.first; });
    extents[i] = found->second;
  }
  return extents;
}

}  // namespace

std::string to_string(Freshness freshness) {
  switch (freshness) {
    case Freshness::fresh:
      return "fresh";
    case Freshness::stale:
      return "stale";
    case Freshness::unknown:
      return "unknown";
    case Freshness::damaged:
      return "damaged";
  }
  throw std::logic_error("no such freshness");
}

Problem problem_now(const Record& record, const Space& space) {
  return make_problem(space, extents_now(record, space), record.dtype, record.traits);
}

bool is_orphan(const Record& record, const Space& space) {
  try {
    return to_string(space, problem_now(record, space)) != problem_key(record);
  } catch (const Error&) {
    return true;
  }
}

Verdict check_record(const CacheKey& key, const Record& record, const Kernel& kernel, const fs::path& cache) {
  return judge(key, record, kernel, fingerprints_of(kernel), cache);
}

std::vector<Verdict> check_store(const Store& store, const KernelPath& path) {
  CurrentKernels kernels(path);
  std::vector<Verdict> verdicts;
  for (const auto& key : store.keys()) {
    const auto of_key = check_key(store, key, kernels.at(key.kernel));
    verdicts.insert(verdicts.end(), of_key.begin(), of_key.end());
  }
  return verdicts;
}

std::vector<Verdict> prune_store(Store& store, const KernelPath& path) {
  CurrentKernels kernels(path);
  std::vector<Verdict> verdicts;
  for (const auto& key : store.keys()) {
    const auto* known = std::get_if<CurrentKernel>(&kernels.at(key.kernel));
    if (known == nullptr) continue;
    const auto of_key = prune_key(store, key, *known);
    verdicts.insert(verdicts.end(), of_key.begin(), of_key.end());
  }
  return verdicts;
}

}  // namespace hiptune
