#pragma once

#include "problem/variant.hpp"

namespace hiptune {

// Throws LaunchFailure naming the first limit of the target that a launch exceeds. Does not allocate when it does not
// throw.
void require_geometry(const Geometry& geometry, const TargetFacts& facts);

}  // namespace hiptune
