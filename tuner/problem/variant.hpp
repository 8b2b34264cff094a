#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/closed_form.hpp"
#include "problem/config.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

struct Geometry {
  std::array<std::int64_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::int64_t, 3> block{1, 1, 1};  // threads
  std::int64_t dynamic_lds = 0;                // bytes
  std::int64_t cluster = 1;                    // blocks

  [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] std::int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
};

// One launch of a plan, for any value of the batch dimensions.
struct LaunchPlan {
  std::string entry;
  std::array<ClosedForm, 3> grid;
  std::array<std::int64_t, 3> grid_limit{};  // the target's limit where the template loops, else no limit
  Geometry fixed;                            // block, dynamic LDS and cluster; grid is not used

  // Hot: no allocation, no exceptions.
  [[nodiscard]] Geometry geometry(std::span<const std::int64_t> batch_values) const noexcept;
};

struct Plan {
  std::vector<LaunchPlan> launches;
};

// A kernel with a configuration, ready to compile: the sources and what to launch.
struct Variant {
  SourceFile source;
  std::vector<SourceFile> headers;        // hiptune_config.h, hiptune_device.h
  std::vector<std::string> entry_points;  // of the plan, each once
  Plan plan;
};

// The generated header: scalar_t, a type for each buffer whose type a trait says (w_t of w; of an absent one scalar_t),
// ELEMENT_BYTES, WAVE_SIZE, one constexpr per tunable and trait, one enum class for each whose values are words.
// Dimensions are never compiled in.
[[nodiscard]] std::string config_header(const Space& space, const Problem& problem, const TargetFacts& facts,
                                        const Config& config);

// `problem`'s batch dimensions do not reach the result. Requires a valid configuration. `grid_limit` > 0 lowers the
// limit of looping grids below the target's (the gate uses it so that blocks loop at small shapes).
[[nodiscard]] Variant make_variant(const Kernel& kernel, const Problem& problem, const TargetFacts& facts,
                                   const Config& config);
[[nodiscard]] Plan make_plan(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config,
                             std::int64_t grid_limit = 0);

// The oracle of a problem: NAME_reference in NAME.reference.hip.
[[nodiscard]] Variant make_reference(const Kernel& kernel, const Problem& problem, const TargetFacts& facts);

// Bytes of each workspace, in order.
[[nodiscard]] std::vector<std::int64_t> workspace_bytes(const Space& space, const Problem& problem,
                                                        const TargetFacts& facts, const Config& config);

// atol + rtol * |oracle| for one configuration.
struct Limit {
  double atol = 0;
  double rtol = 0;
};
[[nodiscard]] Limit tolerance_of(const Space& space, const Problem& problem, const TargetFacts& facts,
                                 const Config& config);

// Values of the batch dimensions of a problem, in the space's order.
[[nodiscard]] std::vector<std::int64_t> batch_values(const Space& space, const Problem& problem);

}  // namespace hiptune
