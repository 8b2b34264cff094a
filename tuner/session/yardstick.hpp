#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cache/store.hpp"
#include "session/coordinator.hpp"

namespace hiptune {

// The copy of the same bytes that shares are taken of.
struct MeasuredYardstick {
  std::string name;
  Samples samples;
};

// The copy kernel's problem that moves `bytes`: read once and written once.
[[nodiscard]] Problem copy_problem(const Space& copy, double bytes);

// The configuration that a cache's entries for the copy kernel, fresh ones, have for the nearest size between half and
// twice that of `problem`; none where there is none.
[[nodiscard]] std::optional<Config> tuned_copy(const Store& store, const Target& target, const Kernel& copy,
                                               const Problem& problem);

// Times the copy kernel's baselines at that size, and beside them the `tuned` configuration, or else a set of
// configurations in which every pair of values occurs, on the CPU only the first of these;
// `each` gets every trial, those that failed too, of which the log tells. Takes the place of the problem that was
// prepared. Throws Error where none is valid or the size does not fit the memory.
void try_copies(Coordinator& coordinator, const Kernel& copy, double bytes, const std::optional<Config>& tuned,
                std::uint64_t seed, TimingLimits limits, const std::function<void(const Trial&)>& each);

}  // namespace hiptune
