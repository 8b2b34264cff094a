#include "session/yardstick.hpp"

#include <algorithm>
#include <cmath>

#include "cache/freshness.hpp"
#include "problem/enumeration.hpp"
#include "problem/log.hpp"
#include "search/covering.hpp"

namespace hiptune {

Problem copy_problem(const Space& copy, double bytes) {
  const Dtype dtype = copy.dtypes.front();
  const auto elements = static_cast<std::int64_t>(bytes / 2 / static_cast<double>(size_of(dtype)));
  return make_problem(copy, {std::max<std::int64_t>(elements, 1)}, dtype, {});
}

namespace {

// A CPU compiles a copy in a second, and all of them are as fast as its memory.
constexpr std::size_t kCopiesOnCpu = 6;

// The space's own favourites, for wherever they are valid, and what was tuned, or else a set in which every pair of
// values occurs, of which the CPU tries the first.
std::vector<Config> candidates(const Space& copy, const Problem& problem, const std::optional<Config>& tuned,
                               const Target& target) {
  std::vector<Config> configs;
  for (const Baseline& baseline : copy.baselines)
    if (!why_invalid(copy, problem, target.facts, baseline.config)) configs.push_back(baseline.config);
  const std::size_t favourites = configs.size();
  if (tuned) return with_missing(std::move(configs), {*tuned});
  configs = with_missing(std::move(configs), pairwise_covering(valid_configs(copy, problem, target.facts, {}).valid));
  if (target.backend == "host" && configs.size() > kCopiesOnCpu) configs.resize(std::max(favourites, kCopiesOnCpu));
  return configs;
}

}  // namespace

std::optional<Config> tuned_copy(const Store& store, const Target& target, const Kernel& copy, const Problem& problem) {
  constexpr double kFarthest = 1;  // in powers of two
  const CacheKey key = cache_key(target, copy.name);
  const auto distance_of = [&](const Record& record) {
    const Problem tuned = problem_now(record, copy.space);
    if (tuned.dtype != problem.dtype || tuned.traits != problem.traits) return 2 * kFarthest;
    return std::abs(std::log2(static_cast<double>(tuned.dimensions[0]) / static_cast<double>(problem.dimensions[0])));
  };
  std::optional<Config> nearest;
  double least = 2 * kFarthest;
  for (const Record& record : store.load(key).records) {
    if (check_record(key, record, copy).freshness != Freshness::fresh) continue;
    const double distance = distance_of(record);
    if (distance > kFarthest || distance >= least || why_invalid(copy.space, problem, target.facts, record.config))
      continue;
    least = distance;
    nearest = record.config;
  }
  return nearest;
}

void try_copies(Coordinator& coordinator, const Kernel& copy, double bytes, const std::optional<Config>& tuned,
                std::uint64_t seed, TimingLimits limits, const std::function<void(const Trial&)>& each) {
  const Problem problem = copy_problem(copy.space, bytes);
  const std::vector<Config> configs = candidates(copy.space, problem, tuned, coordinator.target());
  // A copy that is right at this size will do, and is found in a fraction of the time.
  coordinator.prepare(copy.name, problem, seed, GateDepth::tuned_shape);
  limits.stop.budget /= 2;  // there are many, and any good one will do
  coordinator.expect(configs);
  for (const Config& config : configs) {
    const Trial trial = coordinator.run(config, limits);
    each(trial);
    if (!trial.is_good()) log().warn("yardstick {} {}: {}", copy.name, to_string(config), text_of(trial));
  }
}

}  // namespace hiptune
