#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/buffer_set.hpp"
#include "problem/space.hpp"

namespace hiptune {

// What input buffers are filled with. `not_a_number` and `infinite` put one such element into one row of each
// buffer of several rows whose domain allows it; `nan_in_vector` puts a NaN into each buffer of a single row.
enum class Pattern {
  random,
  zeros,
  one_element,
  mixed_signs,
  negative,
  ramp,
  huge,
  tiny,
  not_a_number,
  infinite,
  nan_in_vector
};
[[nodiscard]] std::string to_string(Pattern pattern);
[[nodiscard]] const std::vector<Pattern>& adversarial_patterns();

// Whole allocations of a problem's buffers on the host, in argument order: guards, gaps, and elements.
using Images = std::vector<std::vector<std::byte>>;

inline constexpr std::byte kGuardByte{0xA5};
inline constexpr std::byte kPoisonByte{0xFF};  // all ones is a NaN of every floating type
// Large finite values of every floating type, of either sign: what a NaN hides shows with one of them, such as a
// maximum that was never initialised or reads beyond its input, an element that was never written where the oracle is
// NaN, or arithmetic in place on what lies behind a buffer.
inline constexpr std::byte kLargePoisonByte{0x7E};
inline constexpr std::byte kNegativePoisonByte{0xFE};

// Inputs hold the pattern (random values depend on `seed` and the element's place alone), within the buffer's domain;
// outputs hold poison (integers kGuardByte). Guards and gaps hold kGuardByte, those of floating inputs NaN, so that
// reading one shows.
[[nodiscard]] Images make_images(const Space& space, const std::vector<BufferLayout>& layouts, Pattern pattern,
                                 std::uint64_t seed);

// The images as before another run: every element of the outputs is `poison`, one of the finite ones, and what
// surrounds each buffer is near to it but differs from buffer to buffer, so that copying it shows.
[[nodiscard]] Images repoisoned(const Space& space, const std::vector<BufferLayout>& layouts, const Images& images,
                                std::byte poison);

// Whether the pattern asks anything of this space that `random` does not.
[[nodiscard]] bool applies(Pattern pattern, const Space& space);

}  // namespace hiptune
