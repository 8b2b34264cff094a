#pragma once

#include <cstdint>
#include <string>

#include "problem/problem.hpp"

namespace hiptune {

// A device that kernels are compiled for and run on, as one process sees it.
struct Target {
  std::string backend;       // "host"
  std::string id;            // what --device takes to get this one again: "host:wave64"
  std::string architecture;  // what a compiler is told, and half of the cache's key: "x86_64-wave32"
  std::string name;          // product name, the other half: "Intel(R) Xeon(R) Processor"
  std::string driver;        // version of the driver or runtime; for the host, the kernel's release
  TargetFacts facts;
  std::int64_t last_level_cache_bytes = 0;  // 0: unknown
  std::int64_t memory_bytes = 0;            // what a process can still allocate, when the device was opened
};

}  // namespace hiptune
