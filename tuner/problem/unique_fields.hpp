#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hiptune {

// A key as RFC 6901 writes it in a pointer.
[[nodiscard]] std::string escaped(const std::string& key);

// Finds a field that stands twice in one object of a JSON text, of which JSON libraries keep one silently and not all
// the same one. Takes a parser's events in order, and keeps the pointer of the value that comes next.
class UniqueFields {
 public:
  // `key` is read at the event `key` alone. The pointer (RFC 6901) of a field that stood before in its object.
  template <class Json>
  [[nodiscard]] std::optional<std::string> take(nlohmann::json::parse_event_t event, const Json& key) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::key) return enter(key.template get<std::string>());
    follow(event);
    return std::nullopt;
  }

 private:
  struct Level {
    bool is_array;
    std::size_t index = 0;              // in an array
    std::vector<std::string> fields{};  // of an object; the last is the current one
  };

  [[nodiscard]] std::optional<std::string> enter(const std::string& field);
  void follow(nlohmann::json::parse_event_t event);
  [[nodiscard]] std::string pointer() const;

  std::vector<Level> levels_;
};

}  // namespace hiptune
