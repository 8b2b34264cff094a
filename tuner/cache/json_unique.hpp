#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hiptune {

// As json::parse, but refuses a field that stands twice in one object, of which JSON libraries keep one silently and
// not all the same one. Throws json::exception for what is no JSON, and Error(bad_input) "POINTER: …" for the field.
[[nodiscard]] nlohmann::json parse_unique(const std::string& text);

}  // namespace hiptune
