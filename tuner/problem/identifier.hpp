#pragma once

#include <optional>
#include <string>

namespace hiptune {

// Why a name cannot stand in the generated header: it is no C++ identifier, or a keyword. None: it can.
[[nodiscard]] std::optional<std::string> why_no_identifier(const std::string& name);

}  // namespace hiptune
