#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "gate/inputs.hpp"
#include "problem/space.hpp"

namespace hiptune {

// What both judges say alike.
inline const std::string kInputModified = ": an input was modified";
inline const std::string kOtherResults = ": other results";
inline const std::string kNeverWritten =
    "; it was never written, or made from LDS or a workspace that was not, or from beyond an input";

[[nodiscard]] inline bool is_poison(std::span<const std::byte> element) {
  return std::ranges::all_of(element, [](std::byte byte) {
    return byte == kPoisonByte || byte == kLargePoisonByte || byte == kNegativePoisonByte;
  });
}

}  // namespace hiptune
