#pragma once

#include <string>

namespace hiptune {

// The type that hiptune_config.h gives to a name whose values are words: LOAD_MODE -> LoadMode.
[[nodiscard]] std::string enum_name(const std::string& name);

}  // namespace hiptune
