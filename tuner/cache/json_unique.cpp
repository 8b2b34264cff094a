#include "cache/json_unique.hpp"

#include "hiptune/error.hpp"
#include "problem/unique_fields.hpp"

namespace hiptune {

using nlohmann::json;

json parse_unique(const std::string& text) {
  UniqueFields fields;
  return json::parse(text, [&](int, json::parse_event_t event, const json& parsed) {
    if (const auto pointer = fields.take(event, parsed)) throw bad_input(*pointer + ": this field stands twice");
    return true;
  });
}

}  // namespace hiptune
