#include "device/geometry_limits.hpp"

#include "device/device.hpp"

namespace hiptune {
namespace {

void require(const char* what, std::int64_t value, std::int64_t minimum, std::int64_t maximum) {
  if (value >= minimum && value <= maximum) return;
  throw LaunchFailure(std::string(what) + " is " + std::to_string(value) + ", allowed are " + std::to_string(minimum) +
                      " to " + std::to_string(maximum));
}

}  // namespace

void require_geometry(const Geometry& geometry, const TargetFacts& facts) {
  require("grid x", geometry.grid[0], 1, facts.max_grid_x);
  require("grid y", geometry.grid[1], 1, facts.max_grid_yz);
  require("grid z", geometry.grid[2], 1, facts.max_grid_yz);
  require("block x", geometry.block[0], 1, facts.max_block_threads);
  require("block y", geometry.block[1], 1, facts.max_block_threads);
  require("block z", geometry.block[2], 1, facts.max_block_threads);
  require("the number of threads of a block", geometry.threads_per_block(), 1, facts.max_block_threads);
  require("dynamic LDS in bytes", geometry.dynamic_lds, 0, facts.lds_bytes);
  require("the cluster's number of blocks", geometry.cluster, 1, facts.max_cluster);
  if (geometry.grid[0] % geometry.cluster != 0)
    throw LaunchFailure("grid x is " + std::to_string(geometry.grid[0]) + ", no multiple of the cluster of " +
                        std::to_string(geometry.cluster));
  if (facts.max_threads_per_launch > 0)
    require("the number of blocks of a launch of such blocks", geometry.blocks(), 1,
            facts.max_threads_per_launch / geometry.threads_per_block());
}

}  // namespace hiptune
