#include <algorithm>

#include "problem/enumeration.hpp"
#include "problem/named_values.hpp"
#include "problem/parts.hpp"

namespace hiptune {
namespace {

// In the order in which the tunable declares them, so that results do not depend on how they were given.
std::vector<Value> parse_values(const Tunable& tunable, const std::string& texts, const std::string& where) {
  std::vector<Value> given;
  for (const std::string& text : split(texts, ',')) {
    if (text.empty())
      throw bad_input(where + ": a value of " + tunable.name + " is missing; give " + tunable.name +
                      "=VALUE or a list, " + tunable.name + "=VALUE,VALUE");
    const Value value = parse_value(tunable, text);
    require_listed(tunable, value, where);
    if (std::ranges::count(given, value) > 0)
      throw bad_input(where + ": " + tunable.name + "=" + excerpt(text) + " is listed twice; keep one of them");
    given.push_back(value);
  }
  std::vector<Value> ordered;
  for (const Value& value : tunable.values)
    if (std::ranges::count(given, value) > 0) ordered.push_back(value);
  return ordered;
}

}  // namespace

Restriction parse_restriction(const Space& space, const std::vector<std::string>& texts) {
  Restriction restriction;
  for (const std::string& text : texts) {
    const std::string where = "--fix " + excerpt(text);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw bad_input(where + ": must be NAME=VALUE or NAME=VALUE,VALUE");
    const Tunable& tunable = find_named(space.tunables, text.substr(0, equals), "tunable", where);
    if (std::ranges::count(restriction, tunable.name, &Restriction::value_type::first) > 0)
      throw bad_input(where + ": " + tunable.name + " is given twice; give a list, " + tunable.name + "=VALUE,VALUE");
    restriction.emplace_back(tunable.name, parse_values(tunable, text.substr(equals + 1), where));
  }
  return restriction;
}

Restriction restriction_to(const Assignment& held) {
  Restriction restriction;
  for (const auto& [name, value] : held) restriction.emplace_back(name, std::vector{value});
  return restriction;
}

std::string to_string(const Restriction& restriction) {
  std::string text;
  for (const auto& [name, values] : restriction) {
    if (!text.empty()) text += ' ';
    text += name;
    for (const Value& value : values) {
      text += &value == values.data() ? '=' : ',';
      text += to_string(value);
    }
  }
  return text;
}

bool is_partial(const Space& space, const Restriction& restriction) {
  return std::ranges::any_of(restriction, [&](const auto& kept) {
    const Tunable* tunable = space.find_tunable(kept.first);
    return tunable == nullptr || kept.second.size() < tunable->values.size();
  });
}

}  // namespace hiptune
