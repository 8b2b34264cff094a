#include <cstdint>
#include <optional>
#include <string>

#include "problem/config_errors.hpp"
#include "problem/variant.hpp"

namespace hiptune {

namespace {

using Reason = std::optional<std::string>;

std::string exceeds(const std::string& what, std::int64_t value, const std::string& limit, std::int64_t at_most) {
  return what + " is " + std::to_string(value) + ", " + limit + " " + std::to_string(at_most);
}

Reason broken_constraint(const Space& space, const Names& names) {
  for (const Constraint& constraint : space.constraints) {
    if (!constraint.expression.evaluate_bool(names)) return constraint.reason;
  }
  return std::nullopt;
}

Reason wrong_block(const Geometry& geometry, const TargetFacts& facts) {
  std::int64_t threads = 1;
  for (const std::int64_t extent : geometry.block) {
    if (extent < 1) return "the block has an extent of " + std::to_string(extent) + ", below 1";
    if (extent > facts.max_block_threads / threads) {
      return "the block has more threads than the target's " + std::to_string(facts.max_block_threads);
    }
    threads *= extent;
  }
  return std::nullopt;
}

Reason wrong_resources(const Geometry& geometry, const TargetFacts& facts) {
  if (geometry.dynamic_lds < 0) return "the dynamic LDS is negative";
  if (geometry.dynamic_lds > facts.lds_bytes) {
    return exceeds("the dynamic LDS", geometry.dynamic_lds, "and the target has", facts.lds_bytes);
  }
  if (geometry.cluster < 1) return exceeds("the cluster", geometry.cluster, "below", 1);
  if (geometry.cluster > facts.max_cluster) {
    return exceeds("the cluster", geometry.cluster, "and the target allows", facts.max_cluster);
  }
  return std::nullopt;
}

Reason wrong_grid(const Geometry& geometry, const TargetFacts& facts) {
  const std::int64_t limits[] = {facts.max_grid_x, facts.max_grid_yz, facts.max_grid_yz};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = std::string("grid.") + "xyz"[i];
    if (geometry.grid[i] < 1) return exceeds(name, geometry.grid[i], "below", 1);
    if (geometry.grid[i] > limits[i]) return exceeds(name, geometry.grid[i], "above the target's", limits[i]);
  }
  if (geometry.grid[0] % geometry.cluster != 0)
    return exceeds("grid.x", geometry.grid[0], "no multiple of the cluster of", geometry.cluster);
  return std::nullopt;
}

// Compares in floating point: three grid extents within their limits can overflow an int64.
Reason too_many_threads(const Geometry& geometry, const TargetFacts& facts) {
  if (facts.max_threads_per_launch == 0) return std::nullopt;
  double threads = static_cast<double>(geometry.threads_per_block());
  for (const std::int64_t extent : geometry.grid) threads *= static_cast<double>(extent);
  if (threads <= static_cast<double>(facts.max_threads_per_launch)) return std::nullopt;
  return "a launch has more threads than the target's " + std::to_string(facts.max_threads_per_launch);
}

Reason wrong_geometry(const Geometry& geometry, const TargetFacts& facts) {
  for (const auto check : {wrong_block, wrong_resources, wrong_grid, too_many_threads}) {
    if (Reason reason = check(geometry, facts)) return reason;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_invalid(const Space& space, const Problem& problem, const TargetFacts& facts,
                                       const Config& config) {
  // Before the plan, whose expressions may rely on the constraints.
  const Names names = names_of(space, problem, facts, config);
  if (Reason reason = naming(config, [&] { return broken_constraint(space, names); })) return reason;
  const Plan plan = make_plan(space, problem, facts, config);
  if (plan.launches.empty()) return "no launch of the plan applies to this configuration";
  const std::vector<std::int64_t> batch = batch_values(space, problem);
  for (const LaunchPlan& launch : plan.launches) {
    if (Reason reason = wrong_geometry(launch.geometry(batch), facts)) return launch.entry + ": " + *reason;
  }
  return std::nullopt;
}

}  // namespace hiptune
