#pragma once

#include <cstddef>
#include <string>

namespace hiptune {

// Whether a character may stand in every file's name as it is: letters, digits and ._+-
[[nodiscard]] bool is_safe(char c);

// A text as a file's name of at most `longest` bytes. Readable where it can be; where cutting or an unusual character
// could make two texts one, a hash of the whole text tells them apart.
[[nodiscard]] std::string safe_name(const std::string& text, std::size_t longest);

}  // namespace hiptune
