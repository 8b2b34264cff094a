#include "problem/config.hpp"

#include "problem/named_values.hpp"

namespace hiptune {

namespace {

template <typename T>
Assignment parse_assignments(const std::vector<T>& list, const std::vector<std::string>& texts, const std::string& kind,
                             const std::string& option) {
  Assignment assignment;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw bad_input(option + " " + excerpt(text) + ": must be NAME=VALUE");
    const T& item = find_named(list, text.substr(0, equals), kind, option + " " + excerpt(text));
    assignment.emplace_back(item.name, parse_value(item, text.substr(equals + 1)));
  }
  require_known(list, assignment, kind, option);
  return assignment;
}

// Values that the tunable takes while `fixed` holds.
std::vector<Value> choices(const Tunable& tunable, const Assignment& fixed) {
  const Value* value = find(fixed, tunable.name);
  return value == nullptr ? tunable.values : std::vector<Value>{*value};
}

std::vector<Config> extend(const std::vector<Config>& configs, const Tunable& tunable,
                           const std::vector<Value>& values) {
  std::vector<Config> extended;
  extended.reserve(configs.size() * values.size());
  for (const Config& config : configs) {
    for (const Value& value : values) {
      extended.push_back(config);
      extended.back().emplace_back(tunable.name, value);
    }
  }
  return extended;
}

}  // namespace

Config make_config(const Space& space, const Assignment& values, const std::string& where) {
  require_known(space.tunables, values, "tunable", where);
  Config config;
  for (const Tunable& tunable : space.tunables) {
    const Value* value = find(values, tunable.name);
    if (value == nullptr) throw bad_input(where + ": a value for " + tunable.name + " is missing");
    config.emplace_back(tunable.name, *value);
  }
  return config;
}

Assignment parse_tunables(const Space& space, const std::vector<std::string>& texts) {
  return parse_assignments(space.tunables, texts, "tunable", "--fix");
}

Assignment parse_traits(const Space& space, const std::vector<std::string>& texts) {
  return parse_assignments(space.traits, texts, "trait", "--trait");
}

namespace {

// A list of configurations is held in memory.
void require_enumerable(const Space& space, const Assignment& fixed) {
  constexpr double kMost = 2'000'000;
  double count = 1;
  for (const Tunable& tunable : space.tunables) count *= static_cast<double>(choices(tunable, fixed).size());
  if (count <= kMost) return;
  throw bad_input(space.file +
                  ": /tunables: more than the two million configurations that can be listed; hold some "
                  "tunables with --fix, or give them fewer values");
}

}  // namespace

std::vector<Config> all_configs(const Space& space, const Assignment& fixed) {
  require_known(space.tunables, fixed, "tunable", "--fix");
  require_enumerable(space, fixed);
  std::vector<Config> configs{{}};
  for (const Tunable& tunable : space.tunables) configs = extend(configs, tunable, choices(tunable, fixed));
  return configs;
}

}  // namespace hiptune
