#pragma once

#include <nlohmann/json.hpp>

#include "cache/json_field.hpp"
#include "device/target.hpp"

namespace hiptune {

// {"architecture":…,"backend":…,"driver":…,"facts":{…},"id":…,"last_level_cache_bytes":…,"memory_bytes":…,"name":…};
// what is unknown or unlimited is absent. Lossless.
[[nodiscard]] nlohmann::json to_json(const Target& target);
// Throws Error(bad_input) naming the field by its JSON pointer.
[[nodiscard]] Target target_from_json(const Field& field);
[[nodiscard]] inline Target target_from_json(const nlohmann::json& value) { return target_from_json(Field(value)); }

}  // namespace hiptune
