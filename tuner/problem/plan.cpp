#include <algorithm>
#include <limits>

#include "problem/config_errors.hpp"
#include "problem/variant.hpp"

namespace hiptune {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

bool mentions_any(const Expression& expression, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return expression.mentions(name); });
}

Geometry fixed_geometry(const LaunchRule& rule, const Names& names) {
  Geometry geometry;
  for (std::size_t i = 0; i < rule.block.size(); ++i) geometry.block[i] = rule.block[i].evaluate_integer(names);
  geometry.dynamic_lds = rule.dynamic_lds.evaluate_integer(names);
  geometry.cluster = rule.cluster.evaluate_integer(names);
  return geometry;
}

// Division that keeps at least 1: a budget cannot be split below one block.
std::int64_t share(std::int64_t budget, std::int64_t parts) {
  return std::max<std::int64_t>(1, budget / std::max<std::int64_t>(1, parts));
}

// The limits of one launch's grid. z and y are served before x, whose own limit is the widest.
class GridLimits {
 public:
  GridLimits(const TargetFacts& facts, std::int64_t grid_limit)
      : own_{facts.max_grid_x, facts.max_grid_yz, facts.max_grid_yz},
        blocks_(facts.max_threads_per_launch == 0 ? kNoLimit : facts.max_threads_per_launch),
        grid_limit_(grid_limit > 0 ? grid_limit : kNoLimit) {}

  void apply(LaunchPlan& launch, const std::array<bool, 3>& loops) {
    for (const std::int64_t extent : launch.fixed.block) blocks_ = share(blocks_, extent);
    for (std::size_t i = 0; i < 3; ++i) {
      if (!loops[i]) blocks_ = share(blocks_, launch.grid[i].evaluate({}));
    }
    for (std::size_t i = 3; i-- > 0;) launch.grid_limit[i] = loops[i] ? take(own_[i]) : kNoLimit;
    if (loops[0]) launch.grid_limit[0] = whole_clusters(launch.grid_limit[0], launch.fixed.cluster);
  }

 private:
  // A grid is a multiple of its cluster, however small the limit.
  static std::int64_t whole_clusters(std::int64_t limit, std::int64_t cluster) {
    return cluster < 2 ? limit : std::max(cluster, limit - limit % cluster);
  }

  std::int64_t take(std::int64_t own) {
    const std::int64_t limit = std::min({own, grid_limit_, blocks_});
    blocks_ = share(blocks_, limit);
    return limit;
  }

  std::array<std::int64_t, 3> own_;
  std::int64_t blocks_;  // what is left of the launch's threads, in blocks
  std::int64_t grid_limit_;
};

LaunchPlan make_launch(const LaunchRule& rule, const Names& names, const std::vector<std::string>& batch,
                       GridLimits limits) {
  LaunchPlan launch;
  launch.entry = rule.entry;
  launch.fixed = fixed_geometry(rule, names);
  launch.grid.fill(ClosedForm(1));
  std::array<bool, 3> loops{};
  for (std::size_t i = 0; i < rule.grid.size(); ++i) {
    launch.grid[i] = ClosedForm(rule.grid[i], names, batch);
    loops[i] = mentions_any(rule.grid[i], batch);
  }
  limits.apply(launch, loops);
  return launch;
}

}  // namespace

Geometry LaunchPlan::geometry(std::span<const std::int64_t> batch_values) const noexcept {
  Geometry geometry = fixed;
  for (std::size_t i = 0; i < 3; ++i) geometry.grid[i] = std::min(grid[i].evaluate(batch_values), grid_limit[i]);
  return geometry;
}

Plan make_plan(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config,
               std::int64_t grid_limit) {
  const Names names = names_of(space, problem, facts, config);
  const std::vector<std::string> batch = space.batch_dimensions();
  return naming(config, [&] {
    Plan plan;
    for (const LaunchRule& rule : space.plan) {
      if (rule.when && !rule.when->evaluate_bool(names)) continue;
      plan.launches.push_back(make_launch(rule, names, batch, GridLimits(facts, grid_limit)));
    }
    return plan;
  });
}

std::vector<std::int64_t> batch_values(const Space& space, const Problem& problem) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    if (space.dimensions[i].batch) values.push_back(problem.dimensions[i]);
  }
  return values;
}

}  // namespace hiptune
