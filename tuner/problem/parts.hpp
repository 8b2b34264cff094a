#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace hiptune {

// "a,,b" is "a", "" and "b"; there is always one part.
[[nodiscard]] inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text + separator);  // getline swallows an empty last part
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace hiptune
