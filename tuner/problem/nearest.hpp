#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hiptune {

// " (did you mean \"BLOCK_SIZE\"?)" when a known word is close enough to be what a mistyped one meant; else "".
// Letter case does not count.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// A text as messages echo it: cut to 120 bytes, between characters, and ended with "..." where it was longer.
[[nodiscard]] std::string excerpt(std::string_view text);

// "a, b, c", or "none" for an empty list.
[[nodiscard]] std::string join(std::span<const std::string> words);

}  // namespace hiptune
