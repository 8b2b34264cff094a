#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "hiptune/error.hpp"
#include "problem/expression.hpp"
#include "problem/nearest.hpp"
#include "problem/value.hpp"

// What tunables and traits have in common: a name and a list of values. T is Tunable or Trait; `kind` is its word in
// messages.
namespace hiptune {

template <typename T>
std::vector<std::string> names_in(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  return names;
}

// Throws Error(bad_input), prefixed by `where`.
template <typename T>
const T& find_named(const std::vector<T>& list, const std::string& name, const std::string& kind,
                    const std::string& where) {
  const auto found = std::ranges::find(list, name, &T::name);
  if (found != list.end()) return *found;
  const std::vector<std::string> known = names_in(list);
  throw bad_input(where + ": there is no " + kind + " \"" + excerpt(name) + "\"" + did_you_mean(name, known) +
                  "; there are " + join(known));
}

inline std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(to_string(value));
  return texts;
}

template <typename T>
void require_listed(const T& item, const Value& value, const std::string& where) {
  if (std::ranges::count(item.values, value) > 0) return;
  const std::vector<std::string> known = texts_of(item.values);
  const auto* word = std::get_if<std::string>(&value);
  throw bad_input(where + ": " + item.name + "=" + excerpt(to_string(value)) + " is not in the space" +
                  (word == nullptr ? "" : did_you_mean(*word, known)) + "; the values of " + item.name + " are " +
                  join(known));
}

// Integers are parsed only where the values are integers, so that a word such as "128b" stays one.
template <typename T>
Value parse_value(const T& item, const std::string& text) {
  if (std::holds_alternative<std::string>(item.values.front())) return text;
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error != std::errc{} || end != text.data() + text.size()) return text;
  return integer;
}

// Checks every name and value of `given`, and that no name stands twice.
template <typename T>
void require_known(const std::vector<T>& list, const Assignment& given, const std::string& kind,
                   const std::string& where) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& [name, value] = given[i];
    require_listed(find_named(list, name, kind, where), value, where);
    for (std::size_t j = 0; j < i; ++j) {
      if (given[j].first == name) throw bad_input(where + ": " + name + " is given twice; keep one of them");
    }
  }
}

// What the chosen value is in an expression: the integer itself, or the index of the word.
template <typename T>
double number_of(const T& item, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return static_cast<double>(std::ranges::find(item.values, value) - item.values.begin());
}

// "REDUCTION.serial", …; none for integer values.
template <typename T>
Names enumerators_of(const T& item) {
  Names names;
  for (const Value& value : item.values) {
    if (std::holds_alternative<std::string>(value)) names[item.name + '.' + to_string(value)] = number_of(item, value);
  }
  return names;
}

}  // namespace hiptune
