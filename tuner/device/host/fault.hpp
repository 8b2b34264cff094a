#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/host/watch.hpp"

namespace hiptune::host {

// How the threads of a block failed to meet, or touched memory that they must not. `first` and `second` are threads of
// the block in linear order.
struct Fault {
  enum class Kind {
    barrier_lines,     // wait at different barriers
    barrier_returned,  // `second` returned while `first` waits at a barrier
    shuffle_lines,     // wait at different shuffles of their wave
    shuffle_barrier,   // `first` waits at a shuffle for `second` of its wave, which waits at a barrier
    lds_overrun,       // a block wrote LDS beyond the launch's dynamic LDS of `first` bytes, up to byte `second`
    violation,         // of what a watched device allows
  };
  Kind kind;
  int first = 0;
  int first_line = 0;
  int second = 0;
  int second_line = 0;
  std::int64_t block = 0;  // in linear order
  std::optional<Violation> violation{};
};

// Of every kind but `violation`, which Watch describes.
// "divergent barrier: thread 0 waits at line 41, thread 32 at line 52 (rmsnorm, block 7)"
[[nodiscard]] std::string to_string(const Fault& fault, const std::string& entry);

}  // namespace hiptune::host
