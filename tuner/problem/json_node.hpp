#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/expression.hpp"

namespace hiptune {

// Ordered: the order of tunables is the order of the file.
using Json = nlohmann::ordered_json;

// Parses JSON text. Throws Error(bad_input) with line and column for a syntax error, and with the pointer for a field
// that stands twice in one object, of which JSON libraries keep one silently.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& file);

// A JSON value that knows where it stands: every accessor throws Error(bad_input) naming file and pointer. Refers to
// the document, which must outlive it.
class JsonNode {
 public:
  JsonNode(const Json& value, Place place) : value_(&value), place_(std::move(place)) {}

  [[nodiscard]] const Place& place() const { return place_; }
  [[noreturn]] void fail(const std::string& what) const;

  // The node must be an object with no other fields than these.
  void require_only(std::initializer_list<std::string_view> fields) const;
  [[nodiscard]] JsonNode at(const std::string& field) const;
  [[nodiscard]] std::optional<JsonNode> find(const std::string& field) const;

  [[nodiscard]] std::vector<JsonNode> items() const;                            // of an array
  [[nodiscard]] std::vector<JsonNode> some_items() const;                       // of an array that is not empty
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;  // of an object, in the file's order

  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] bool is_string() const { return value_->is_string(); }
  [[nodiscard]] bool is_number() const { return value_->is_number(); }
  [[nodiscard]] bool is_integer() const { return value_->is_number_integer(); }

  [[nodiscard]] std::string text() const;      // a string that is not empty
  [[nodiscard]] std::int64_t integer() const;  // in [-2^53, 2^53]
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string dump() const { return value_->dump(); }

 private:
  const Json* value_;
  Place place_;
};

}  // namespace hiptune
