#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/buffer_set.hpp"
#include "problem/space.hpp"

namespace hiptune {

// What input buffers are filled with. `not_a_number` and `infinite` put one such element into one row of each
// two-dimensional buffer whose domain allows it.
enum class Pattern { random, zeros, one_element, mixed_signs, negative, ramp, huge, tiny, not_a_number, infinite };
[[nodiscard]] std::string to_string(Pattern pattern);
[[nodiscard]] const std::vector<Pattern>& adversarial_patterns();

// Whole allocations of a problem's buffers on the host, in argument order: guards, gaps, and elements.
using Images = std::vector<std::vector<std::byte>>;

inline constexpr std::byte kGuardByte{0xA5};
inline constexpr std::byte kPoisonByte{0xFF};  // all ones is a NaN of every floating type

// Inputs hold the pattern (random values depend on `seed` and the element's place alone), within the buffer's domain;
// outputs hold poison (integers kGuardByte), guards hold kGuardByte; gaps of inputs hold NaN, so that reading one
// shows, and gaps of outputs kGuardByte.
[[nodiscard]] Images make_images(const Space& space, const std::vector<BufferLayout>& layouts, Pattern pattern,
                                 std::uint64_t seed);

// Whether the pattern asks anything of this space that `random` does not.
[[nodiscard]] bool applies(Pattern pattern, const Space& space);

}  // namespace hiptune
