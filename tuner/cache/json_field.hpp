#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hiptune/error.hpp"

namespace hiptune {

// A JSON value together with the pointer that leads to it, so that whatever is wrong with it can be named. Refers to
// the document, which must outlive it. Every reading function throws Error(bad_input) "POINTER: what is wrong".
class Field {
 public:
  explicit Field(const nlohmann::json& value, std::string pointer = "")
      : value_(&value), pointer_(std::move(pointer)) {}

  // The member `name`; find() has none where it is absent. Both require an object.
  [[nodiscard]] Field at(const std::string& name) const;
  [[nodiscard]] std::optional<Field> find(const std::string& name) const;
  // Rejects members that are not listed: rewriting the document would lose them.
  void allow_only(std::initializer_list<const char*> names) const;
  [[nodiscard]] std::vector<Field> items() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string nonempty_text() const;
  [[nodiscard]] std::int64_t integer(std::int64_t minimum = std::numeric_limits<std::int64_t>::min(),
                                     std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] int small_integer(int minimum) const;
  [[nodiscard]] std::uint64_t unsigned_integer() const;
  [[nodiscard]] double nonnegative() const;  // finite

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] Error wrong(const std::string& what) const;

 private:
  const nlohmann::json* value_;
  std::string pointer_;
};

}  // namespace hiptune
