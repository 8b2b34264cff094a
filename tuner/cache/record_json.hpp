#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cache/record.hpp"

namespace hiptune {

// As record_from_json_line, from a parsed document.
[[nodiscard]] Record record_from_json(const nlohmann::json& entry);
// The checksum that to_json_line writes.
[[nodiscard]] std::string checksum_of(const Record& record);

}  // namespace hiptune
