#pragma once

#include "device/device.hpp"
#include "problem/space.hpp"

namespace hiptune {

// The share of the memory that a run takes at most: the rest belongs to the compiler and to other programs.
inline constexpr double kMemoryShare = 0.7;

// Throws Error(bad_input) when checking the problem with `sets` sets of inputs takes more than the memory that can be
// used, on the device or beside it.
void require_memory(const Space& space, const Problem& problem, const Device& device, const Device& host, int sets);

}  // namespace hiptune
