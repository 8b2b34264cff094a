#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "problem/value.hpp"

namespace hiptune {

// Fisher and Yates's shuffle, by hand: std::shuffle's draws differ between standard libraries, and a seed must mean the
// same order everywhere.
[[nodiscard]] inline std::vector<Assignment> shuffled(std::vector<Assignment> configs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = configs.size(); i > 1; --i) std::swap(configs[i - 1], configs[random() % i]);
  return configs;
}

}  // namespace hiptune
