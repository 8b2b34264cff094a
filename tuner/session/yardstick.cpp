#include "session/yardstick.hpp"

#include <algorithm>

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

// The space's own favourites, for wherever they are valid, and a set in which every pair of values occurs, of which the
// CPU tries the first.
std::vector<Config> candidates(const Space& copy, const Problem& problem, const Target& target) {
  std::vector<Config> configs;
  for (const Baseline& baseline : copy.baselines)
    if (!why_invalid(copy, problem, target.facts, baseline.config)) configs.push_back(baseline.config);
  const std::size_t favourites = configs.size();
  configs = with_missing(std::move(configs), pairwise_covering(valid_configs(copy, problem, target.facts, {}).valid));
  if (target.backend == "host" && configs.size() > kCopiesOnCpu) configs.resize(std::max(favourites, kCopiesOnCpu));
  return configs;
}

}  // namespace

void try_copies(Coordinator& coordinator, const Kernel& copy, double bytes, std::uint64_t seed, TimingLimits limits,
                const std::function<void(const Trial&)>& each) {
  const Problem problem = copy_problem(copy.space, bytes);
  const std::vector<Config> configs = candidates(copy.space, problem, coordinator.target());
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
