#pragma once

#include "device/target.hpp"

namespace hiptune::amd {

// What holds for every AMD GPU; a device that is there may set less, and sets its own wave size and compute units.
[[nodiscard]] inline TargetFacts common_facts() {
  TargetFacts facts;
  facts.lds_bytes = 65536;
  facts.max_cluster = 1;
  facts.max_block_threads = 1024;
  facts.max_grid_x = 2147483647;
  facts.max_grid_yz = 65535;
  facts.max_threads_per_launch = 4294967295;  // the hardware counts a launch's threads in 32 bits
  return facts;
}

}  // namespace hiptune::amd
