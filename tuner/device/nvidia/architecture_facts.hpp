#pragma once

#include <string>

#include "problem/problem.hpp"

namespace hiptune::nvidia {

// What NVIDIA's documentation says of an architecture ("sm_90", "sm_90a").
[[nodiscard]] TargetFacts facts_of(const std::string& architecture);

}  // namespace hiptune::nvidia
