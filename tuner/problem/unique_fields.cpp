#include "problem/unique_fields.hpp"

#include <algorithm>

namespace hiptune {

using Event = nlohmann::json::parse_event_t;

std::string escaped(const std::string& key) {
  std::string text;
  for (const char c : key) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

std::optional<std::string> UniqueFields::enter(const std::string& field) {
  std::vector<std::string>& fields = levels_.back().fields;
  const bool twice = std::ranges::count(fields, field) > 0;
  fields.push_back(field);
  return twice ? std::optional(pointer()) : std::nullopt;
}

void UniqueFields::follow(Event event) {
  if (event == Event::object_start || event == Event::array_start) levels_.push_back({event == Event::array_start});
  if (event == Event::object_end || event == Event::array_end) levels_.pop_back();
  const bool value_ends = event == Event::value || event == Event::object_end || event == Event::array_end;
  if (value_ends && !levels_.empty() && levels_.back().is_array) ++levels_.back().index;
}

std::string UniqueFields::pointer() const {
  std::string text;
  for (const Level& level : levels_)
    text += '/' + (level.is_array ? std::to_string(level.index) : escaped(level.fields.back()));
  return text;
}

}  // namespace hiptune
