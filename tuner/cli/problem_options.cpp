#include "cli/problem_options.hpp"

#include <algorithm>
#include <charconv>

#include "hiptune/error.hpp"
#include "problem/config.hpp"
#include "problem/named_values.hpp"
#include "problem/nearest.hpp"
#include "problem/parts.hpp"

namespace hiptune::cli {
namespace {

std::int64_t parse_integer(const std::string& option, const std::string& text) {
  if (text.empty())
    throw bad_input(option +
                    ": a number is missing; give a value (1024), a list (1,8,64) or a doubling range (1..1024)");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw bad_input(option + " " + excerpt(text) + ": beyond 64 bits");
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input(option + " " + excerpt(text) +
                    ": not a number; give a value (1024), a list (1,8,64) or a doubling range "
                    "(1..1024)");
  return value;
}

std::vector<std::int64_t> doubling_range(const std::string& option, const std::string& text, std::size_t dots) {
  const std::int64_t first = parse_integer(option, text.substr(0, dots));
  const std::int64_t last = parse_integer(option, text.substr(dots + 2));
  if (first < 1 || last < first)
    throw bad_input(option + " " + excerpt(text) + ": a doubling range goes up from at least 1, as in 1..1024");
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value < last; value *= 2) {
    values.push_back(value);
    if (value > last / 2) break;  // the next one would pass the end, or overflow
  }
  values.push_back(last);
  return values;
}

std::string example_of(const Dimension& dimension) {
  return std::to_string(std::clamp<std::int64_t>(1024, dimension.minimum, dimension.maximum));
}

// "--rows 1024 --cols 1024"
std::string example(const Space& space) {
  std::string text;
  for (const Dimension& dimension : space.dimensions)
    text += (text.empty() ? "--" : " --") + dimension.name + " " + example_of(dimension);
  return text;
}

std::string known_dtypes(const Space& space) {
  std::vector<std::string> names;
  for (Dtype dtype : space.dtypes) names.push_back(to_string(dtype));
  return join(names);
}

std::string known_traits(const Space& space) {
  std::string text;
  for (const Trait& trait : space.traits) text += "; " + trait.name + " is one of " + join(texts_of(trait.values));
  return text;
}

// "W=none,f32" is "W=none" or "W=f32".
std::vector<std::string> alternatives(const std::string& trait) {
  const std::size_t equals = trait.find('=');
  if (equals == std::string::npos) return {trait};
  std::vector<std::string> texts;
  for (const std::string& value : split(trait.substr(equals + 1), ','))
    texts.push_back(trait.substr(0, equals + 1) + value);
  return texts;
}

// The product of all lists, the first varying slowest.
void require_reasonable(const std::vector<std::vector<std::int64_t>>& lists) {
  constexpr double kMost = 100'000;
  double count = 1;
  for (const auto& list : lists) count *= static_cast<double>(list.size());
  if (count > kMost) throw bad_input("the lists of dimensions make more than 100,000 problems; give shorter lists");
}

std::vector<std::vector<std::int64_t>> combinations(const std::vector<std::vector<std::int64_t>>& lists) {
  require_reasonable(lists);
  std::vector<std::vector<std::int64_t>> all{{}};
  for (const auto& list : lists) {
    std::vector<std::vector<std::int64_t>> grown;
    for (const auto& head : all)
      for (std::int64_t value : list) {
        grown.push_back(head);
        grown.back().push_back(value);
      }
    all = std::move(grown);
  }
  return all;
}

}  // namespace

std::vector<std::int64_t> parse_dimension(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    const std::vector<std::int64_t> more =
        dots == std::string::npos ? std::vector{parse_integer(option, part)} : doubling_range(option, part, dots);
    for (std::int64_t value : more)
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

void ProblemOptions::add_to(CLI::App& command, const Space& space) {
  const std::string group = "Problem (" + space.kernel + ")";
  for (const Dimension& dimension : space.dimensions)
    command
        .add_option("--" + dimension.name, dimensions_[dimension.name],
                    (dimension.description.empty() ? "" : dimension.description + ": ") +
                        "a value, a list 1,8,64 or a doubling range 1..1024")
        ->group(group)
        ->type_name("N");
  command
      .add_option("--dtype", dtypes_,
                  "element types, separated by commas; of " + known_dtypes(space) + " (default: the first)")
      ->group(group)
      ->type_name("TYPE");
  if (space.traits.empty()) return;
  command
      .add_option("--trait", traits_,
                  "a fact of the calls to come, or a list NAME=VALUE,VALUE; may be repeated" + known_traits(space))
      ->group(group)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<Dtype> ProblemOptions::dtypes(const Space& space) const {
  if (dtypes_.empty()) return {space.dtypes.front()};
  std::vector<Dtype> dtypes;
  for (const std::string& name : split(dtypes_, ',')) {
    const std::optional<Dtype> dtype = parse_dtype(name);
    if (!dtype || std::find(space.dtypes.begin(), space.dtypes.end(), *dtype) == space.dtypes.end())
      throw bad_input("--dtype " + excerpt(name) + ": the kernel " + space.kernel + " knows " + known_dtypes(space));
    if (std::find(dtypes.begin(), dtypes.end(), *dtype) == dtypes.end()) dtypes.push_back(*dtype);
  }
  return dtypes;
}

std::vector<Problem> ProblemOptions::problems(const Space& space) const {
  std::vector<std::vector<std::int64_t>> lists;
  for (const Dimension& dimension : space.dimensions) {
    const std::string& text = dimensions_.at(dimension.name);
    if (text.empty())
      throw bad_input("--" + dimension.name + " is missing: " + space.kernel +
                      " needs a value for each dimension, as in " + example(space));
    lists.push_back(parse_dimension("--" + dimension.name, text));
  }
  std::vector<Problem> problems;
  for (Dtype dtype : dtypes(space))
    for (const Assignment& traits : traits_for(space, dtype))
      for (auto& values : combinations(lists)) problems.push_back(make_problem(space, values, dtype, traits));
  return problems;
}

std::vector<Assignment> ProblemOptions::given_traits(const Space& space) const {
  std::vector<std::vector<std::string>> all{{}};
  for (const std::string& trait : traits_) {
    std::vector<std::vector<std::string>> grown;
    for (const auto& head : all)
      for (const std::string& one : alternatives(trait)) {
        grown.push_back(head);
        grown.back().push_back(one);
      }
    all = std::move(grown);
  }
  std::vector<Assignment> given;
  for (const auto& texts : all) given.push_back(parse_traits(space, texts));
  return given;
}

std::vector<Assignment> ProblemOptions::traits_for(const Space& space, Dtype dtype) const {
  std::vector<Assignment> each;
  for (const Assignment& given : given_traits(space)) {
    const Assignment traits = with_same_type(space, given, dtype);
    if (std::ranges::find(each, traits) == each.end()) each.push_back(traits);
  }
  return each;
}

void ProblemOptions::require_well_formed(const Space& space) const {
  for (const auto& [name, text] : dimensions_)
    if (!text.empty()) (void)parse_dimension("--" + name, text);
  (void)dtypes(space);
  (void)given_traits(space);
}

std::string ProblemOptions::words(const Space& space) const {
  std::string text;
  for (const Dimension& dimension : space.dimensions) {
    const std::string& given = dimensions_.at(dimension.name);
    text += " --" + dimension.name + " " + (given.empty() ? example_of(dimension) : given);
  }
  if (!dtypes_.empty()) text += " --dtype " + dtypes_;
  for (const std::string& trait : traits_) text += " --trait " + trait;
  return text.substr(1);
}

bool ProblemOptions::matches(const Space& space, const std::vector<std::int64_t>& dimensions, Dtype dtype,
                             const Assignment& traits) const {
  for (std::size_t i = 0; i < space.dimensions.size() && i < dimensions.size(); ++i) {
    const std::string& text = dimensions_.at(space.dimensions[i].name);
    if (text.empty()) continue;
    const auto values = parse_dimension("--" + space.dimensions[i].name, text);
    if (std::find(values.begin(), values.end(), dimensions[i]) == values.end()) return false;
  }
  if (!dtypes_.empty()) {
    const auto wanted = dtypes(space);
    if (std::find(wanted.begin(), wanted.end(), dtype) == wanted.end()) return false;
  }
  return std::ranges::any_of(traits_for(space, dtype), [&](const Assignment& wanted) {
    return std::ranges::all_of(wanted, [&](const auto& trait) {
      const Value* value = find(traits, trait.first);
      return value == nullptr || *value == trait.second;
    });
  });
}

}  // namespace hiptune::cli
