#include "cache/json_field.hpp"

#include <algorithm>
#include <cmath>

namespace hiptune {

Error Field::wrong(const std::string& what) const {
  return bad_input((pointer_.empty() ? "/" : pointer_) + ": " + what);
}

std::optional<Field> Field::find(const std::string& name) const {
  if (!value_->is_object()) throw wrong("must be an object");
  const auto found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  return Field(*found, pointer_ + "/" + name);
}

Field Field::at(const std::string& name) const {
  if (const auto found = find(name)) return *found;
  throw wrong("lacks the field \"" + name + "\"");
}

void Field::allow_only(std::initializer_list<const char*> names) const {
  if (!value_->is_object()) throw wrong("must be an object");
  for (const auto& member : value_->items()) {
    const bool known = std::find(names.begin(), names.end(), member.key()) != names.end();
    if (!known) throw wrong("unknown field \"" + member.key() + "\"");
  }
}

std::vector<Field> Field::items() const {
  if (!value_->is_array()) throw wrong("must be an array");
  std::vector<Field> fields;
  for (const auto& item : *value_) fields.emplace_back(item, pointer_ + "/" + std::to_string(fields.size()));
  return fields;
}

std::string Field::text() const {
  if (!value_->is_string()) throw wrong("must be a string");
  return value_->get<std::string>();
}

std::string Field::nonempty_text() const {
  auto result = text();
  if (result.empty()) throw wrong("must not be empty");
  return result;
}

std::uint64_t Field::unsigned_integer() const {
  if (!value_->is_number_unsigned()) throw wrong("must be an integer from 0 to 2^64 - 1");
  return value_->get<std::uint64_t>();
}

std::int64_t Field::integer(std::int64_t minimum, std::int64_t maximum) const {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  if (!value_->is_number_integer()) throw wrong("must be an integer");
  const bool fits = !value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::uint64_t{kLargest};
  const auto result = fits ? value_->get<std::int64_t>() : kLargest;
  if (!fits || result < minimum || result > maximum) {
    throw wrong("must be an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  }
  return result;
}

int Field::small_integer(int minimum) const {
  return static_cast<int>(integer(minimum, std::numeric_limits<int>::max()));
}

double Field::nonnegative() const {
  if (!value_->is_number()) throw wrong("must be a number");
  const double result = value_->get<double>();
  if (!std::isfinite(result) || result < 0) throw wrong("must be finite and not negative");
  return result;
}

}  // namespace hiptune
