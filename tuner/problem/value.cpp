#include "problem/value.hpp"

namespace hiptune {

std::string to_string(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return std::get<std::string>(value);
}

std::string to_string(const Assignment& assignment) {
  std::string text;
  for (const auto& [name, value] : assignment) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_string(value);
  }
  return text;
}

const Value* find(const Assignment& assignment, const std::string& name) {
  for (const auto& [candidate, value] : assignment) {
    if (candidate == name) return &value;
  }
  return nullptr;
}

}  // namespace hiptune
