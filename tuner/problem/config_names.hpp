#pragma once

#include <string>

namespace hiptune {

// The type that hiptune_config.h gives to a name whose values are words: LOAD_MODE -> LoadMode.
[[nodiscard]] std::string enum_name(const std::string& name);

// The name there of the element type of a buffer whose type a trait says: w -> w_t.
[[nodiscard]] std::string type_name(const std::string& buffer);

}  // namespace hiptune
