#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/buffer_set.hpp"
#include "gate/large_vector.hpp"
#include "problem/problem_buffers.hpp"

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
using Image = LargeVector<std::byte>;
using Images = std::vector<Image>;

inline constexpr std::byte kGuardByte{0xA5};
inline constexpr std::byte kPoisonByte{0xFF};  // all ones is a NaN of every floating type
// Large finite values of every floating type, also of 16 bits, and of either sign: what a NaN hides shows with one of
// them, such as a maximum that was never initialised or reads beyond its input, an element that was never written where
// the oracle is NaN, or arithmetic in place on what lies behind a buffer.
inline constexpr std::byte kLargePoisonByte{0x7B};
inline constexpr std::byte kNegativePoisonByte{0xFB};

// What lies in a buffer where no input does: one byte around the elements, and one in those of an output.
struct Fill {
  std::byte around{0};
  std::byte element{0};
};
// Of a problem's `index`-th buffer. kPoisonByte is the poison of a first run: outputs hold a NaN (integers kGuardByte),
// guards and gaps kGuardByte, those of floating inputs NaN, so that reading one shows. With another poison the elements
// of outputs are that, and what surrounds each buffer is near to it but differs from buffer to buffer, so that copying
// it shows.
[[nodiscard]] Fill fill_of(const ProblemBuffer& buffer, std::size_t index, std::byte poison);

// Inputs hold the pattern (random values depend on `seed` and the element's place alone), within the buffer's domain
// also as their type rounds it; everything else is filled for a first run. A buffer without memory has an empty image.
[[nodiscard]] Images make_images(const std::vector<BufferLayout>& layouts, Pattern pattern, std::uint64_t seed);

// The images as before another run, filled with another poison, one of the finite ones.
[[nodiscard]] Images repoisoned(const std::vector<BufferLayout>& layouts, const Images& images, std::byte poison);

// Whether the pattern asks anything of these buffers that `random` does not.
[[nodiscard]] bool applies(Pattern pattern, const std::vector<BufferLayout>& layouts);

}  // namespace hiptune
