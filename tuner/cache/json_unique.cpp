#include "cache/json_unique.hpp"

#include <set>
#include <vector>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

// Follows the parser's events and keeps the place of the value that comes next.
class FieldsSeen {
 public:
  void take(Event event, const json& parsed) {
    if (event == Event::key) enter(parsed.get<std::string>());
    if (event == Event::object_start || event == Event::array_start) levels_.push_back({event == Event::array_start});
    if (event == Event::object_end || event == Event::array_end) levels_.pop_back();
    const bool ends = event == Event::value || event == Event::object_end || event == Event::array_end;
    if (ends && !levels_.empty()) ++levels_.back().index;
  }

 private:
  struct Level {
    bool is_array;
    std::size_t index = 0;  // in an array
    std::string field{};    // in an object: the current one
    std::set<std::string> fields{};
  };

  void enter(const std::string& field) {
    auto& level = levels_.back();
    level.field = field;
    if (!level.fields.insert(field).second) throw bad_input(pointer() + ": this field stands twice");
  }

  [[nodiscard]] std::string pointer() const {
    std::string text;
    for (const auto& level : levels_) text += "/" + (level.is_array ? std::to_string(level.index) : level.field);
    return text;
  }

  std::vector<Level> levels_;
};

}  // namespace

json parse_unique(const std::string& text) {
  FieldsSeen seen;
  return json::parse(text, [&](int, Event event, const json& parsed) {
    seen.take(event, parsed);
    return true;
  });
}

}  // namespace hiptune
