#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace hiptune {

// How many configurations are all tried where neither a strategy nor a number of trials is asked for.
inline constexpr std::size_t kSmallSpace = 256;
// How many of a larger space are, then: a variant is compiled and timed in a moment on a GPU, and in some seconds on a
// CPU.
inline constexpr std::size_t kTrialsOnGpu = 256, kTrialsOnCpu = 16;

// How, and how far, a space is searched.
struct Extent {
  std::string strategy;
  std::optional<std::size_t> max_trials;
  bool is_default = false;  // the number of trials was nobody's wish

  [[nodiscard]] bool leaves_out_of(std::size_t candidates) const { return max_trials && *max_trials < candidates; }
};

// What is asked for, and where it is not: a small space entirely, of a larger one first the pairs of values, and then
// so much at random as there is patience for. A strategy that is asked for goes on to its end.
[[nodiscard]] Extent extent_of_search(std::optional<std::string> strategy, std::optional<std::size_t> max_trials,
                                      std::size_t candidates, bool on_cpu);

}  // namespace hiptune
