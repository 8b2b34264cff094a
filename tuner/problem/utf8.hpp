#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hiptune {

// Of a UTF-8 character, but not its first byte.
[[nodiscard]] bool continues_character(char c);

// At most so many bytes of the text, no character in part.
[[nodiscard]] std::string_view cut(std::string_view text, std::size_t bytes);

// Bytes that are no UTF-8, which a compiler or a dying kernel may print, become U+FFFD: JSON has none.
[[nodiscard]] std::string valid_utf8(const std::string& text);

}  // namespace hiptune
