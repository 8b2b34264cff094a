#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cache/record.hpp"

namespace hiptune {

// As record_from_json_line, from a parsed document.
[[nodiscard]] Record record_from_json(const nlohmann::json& entry);
// A line of a document, in which no field may stand twice. Throws Error(bad_input).
[[nodiscard]] nlohmann::json json_from_line(const std::string& line);
// What an entry says of its problem, and where it can be read of its objective and origin: enough to tune it again,
// where it is damaged. Nothing else is filled in.
[[nodiscard]] std::optional<Record> claims_of(const nlohmann::json& entry);
// The checksum that to_json_line writes.
[[nodiscard]] std::string checksum_of(const Record& record);

}  // namespace hiptune
