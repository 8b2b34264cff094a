#pragma once

#include <string>
#include <vector>

#include "problem/config.hpp"

namespace hiptune {

// Configurations that the constraints or the target's limits forbid: not tried.
struct Invalid {
  std::size_t count = 0;
  std::string example;  // the last one, with its reason
};

// Valid configurations with tunables held, in the space's order. Throws Error(bad_input), with the reason, when there
// are none.
[[nodiscard]] std::vector<Config> valid_configs(const Space& space, const Problem& problem, const TargetFacts& facts,
                                                const Assignment& fixed, Invalid* invalid = nullptr);

}  // namespace hiptune
