#pragma once

#include <cstdint>
#include <string_view>

#include "device/target.hpp"

namespace hiptune::amd {

// Of a block. LLVM 22's limits per processor, which its back end names when a kernel exceeds them.
[[nodiscard]] inline std::int64_t lds_bytes_of(std::string_view architecture) {
  const std::string_view processor = architecture.substr(0, architecture.find(':'));
  if (processor == "gfx950") return 163840;
  if (processor == "gfx1250" || processor == "gfx1251") return 327680;
  return 65536;
}

// What holds for every AMD GPU; a device that is there may set less, and sets its own LDS, wave size and compute units.
[[nodiscard]] inline TargetFacts common_facts() {
  TargetFacts facts;
  facts.max_cluster = 1;
  facts.max_block_threads = 1024;
  facts.max_grid_x = 2147483647;
  facts.max_grid_yz = 65535;
  facts.max_threads_per_launch = 4294967295;  // the hardware counts a launch's threads in 32 bits
  return facts;
}

}  // namespace hiptune::amd
