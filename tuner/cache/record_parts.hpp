#pragma once

#include <nlohmann/json.hpp>

#include "cache/json_field.hpp"
#include "cache/record.hpp"

namespace hiptune {

// JSON of a record's parts. Assignments are [["NAME", value], …]: their order is the space's, which an object with
// sorted keys would lose. Readers throw Error(bad_input) naming the field by its JSON pointer.

[[nodiscard]] nlohmann::json assignment_to_json(const Assignment& assignment);
[[nodiscard]] Assignment assignment_from_json(const Field& field);

[[nodiscard]] nlohmann::json to_json(const Timing& timing);
[[nodiscard]] Timing timing_from_json(const Field& field);

// What a compiler does not tell is absent.
[[nodiscard]] nlohmann::json to_json(const Resources& resources);
[[nodiscard]] Resources resources_from_json(const Field& field);

[[nodiscard]] nlohmann::json to_json(const RecordedBaseline& baseline);
[[nodiscard]] RecordedBaseline baseline_from_json(const Field& field);

[[nodiscard]] nlohmann::json to_json(const GateErrors& errors);
[[nodiscard]] GateErrors gate_errors_from_json(const Field& field);

[[nodiscard]] nlohmann::json to_json(const Provenance& provenance);
[[nodiscard]] Provenance provenance_from_json(const Field& field);

}  // namespace hiptune
