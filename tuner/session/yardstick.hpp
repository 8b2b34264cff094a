#pragma once

#include <functional>
#include <string>

#include "session/coordinator.hpp"

namespace hiptune {

// The copy of the same bytes that shares are taken of.
struct MeasuredYardstick {
  std::string name;
  Samples samples;
};

// The copy kernel's problem that moves `bytes`: read once and written once.
[[nodiscard]] Problem copy_problem(const Space& copy, double bytes);

// Times the copy kernel's baselines and a set of configurations in which every pair of values occurs, on the CPU only
// the first of these, at that size;
// `each` gets every trial, those that failed too, of which the log tells. Takes the place of the problem that was
// prepared. Throws Error where none is valid or the size does not fit the memory.
void try_copies(Coordinator& coordinator, const Kernel& copy, double bytes, std::uint64_t seed, TimingLimits limits,
                const std::function<void(const Trial&)>& each);

}  // namespace hiptune
