#include "problem/problem.hpp"

#include <spdlog/fmt/fmt.h>

#include "problem/named_values.hpp"
#include "problem/problem_buffers.hpp"

namespace hiptune {

namespace {

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

void check_dimension(const Dimension& dimension, std::int64_t value) {
  if (value >= dimension.minimum && value <= dimension.maximum) return;
  throw bad_input("--" + dimension.name + " " + std::to_string(value) + ": must be from " +
                  std::to_string(dimension.minimum) + " to " + std::to_string(dimension.maximum));
}

void check_dimensions(const Space& space, const std::vector<std::int64_t>& values) {
  const std::vector<std::string> names = names_in(space.dimensions);
  if (values.size() != names.size()) {
    throw bad_input(space.kernel + " has the dimensions " + join(names) + ", and " + std::to_string(values.size()) +
                    " values were given");
  }
  for (std::size_t i = 0; i < values.size(); ++i) check_dimension(space.dimensions[i], values[i]);
}

void check_dtype(const Space& space, Dtype dtype) {
  if (std::ranges::count(space.dtypes, dtype) > 0) return;
  std::vector<std::string> known;
  for (const Dtype candidate : space.dtypes) known.push_back(to_string(candidate));
  throw bad_input("--dtype " + to_string(dtype) + ": " + space.kernel + " has only " + join(known));
}

// A domain beyond the type would make inputs infinite, and every comparison with them void.
void check_domains(const Space& space, const Problem& problem) {
  for (const ProblemBuffer& buffer : problem_buffers(space, problem)) {
    if (!buffer.is_filled() || buffer.domain.largest <= largest_finite(buffer.type)) continue;
    throw bad_input(space.file + ": /arguments: the domain of " + buffer.name + " goes beyond the largest " +
                    to_string(buffer.type) + "; lower \"largest\"");
  }
}

bool says_a_type(const Space& space, const Trait& trait) {
  const auto by_trait = [&](const auto& buffer) { return buffer.type.trait == trait.name; };
  return std::ranges::any_of(space.buffers(), [&](const BufferArgument* buffer) { return by_trait(*buffer); }) ||
         std::ranges::any_of(space.workspaces, by_trait);
}

// Whether the value is what "same" means.
bool is_same_type(const Space& space, const Trait& trait, const Value& value, Dtype dtype) {
  return value == Value(to_string(dtype)) && std::ranges::count(trait.values, Value(kSameType)) > 0 &&
         says_a_type(space, trait);
}

Assignment complete_traits(const Space& space, const Assignment& given, Dtype dtype) {
  require_known(space.traits, given, "trait", "--trait");
  Assignment traits;
  for (const Trait& trait : space.traits) {
    const Value* value = find(given, trait.name);
    const Assignment preset = with_same_type(space, {{trait.name, trait.values[trait.default_index]}}, dtype);
    traits.emplace_back(value != nullptr ? std::pair(trait.name, *value) : preset.front());
    if (const auto why = why_impossible(space, trait, traits.back().second, dtype))
      throw bad_input("--trait " + trait.name + "=" + to_string(traits.back().second) + ": " + *why);
  }
  return traits;
}

template <typename T>
void add_values(Names& names, const std::vector<T>& list, const Assignment& values) {
  for (const T& item : list) {
    names.merge(enumerators_of(item));
    if (const Value* value = find(values, item.name)) names[item.name] = number_of(item, *value);
  }
}

std::int64_t extent_of(const Expression& expression, const Names& names) {
  const std::int64_t extent = expression.evaluate_integer(names);
  if (extent >= 0) return extent;
  throw bad_input(expression.place().text() + ": \"" + expression.text() + "\": the extent " + std::to_string(extent) +
                  " is negative");
}

void check_bytes(const BufferArgument& buffer, const BufferShape& shape) {
  const auto limit = kLargestInteger / static_cast<std::int64_t>(size_of(shape.type));
  if (shape.cols == 0 || shape.rows <= limit / shape.cols) return;
  throw bad_input(buffer.extent.front().place().text() + ": the buffer \"" + buffer.name + "\" of " +
                  std::to_string(shape.rows) + " x " + std::to_string(shape.cols) + " elements exceeds 2^53 bytes");
}

BufferShape shape_of(const BufferArgument& buffer, const Names& names, const Problem& problem) {
  const std::optional<Dtype> type = element_type(buffer.type, problem);
  if (!type) return {0, 0, problem.dtype};
  BufferShape shape;
  shape.type = *type;
  if (buffer.extent.size() == 2) shape.rows = extent_of(buffer.extent.front(), names);
  shape.cols = extent_of(buffer.extent.back(), names);
  check_bytes(buffer, shape);
  return shape;
}

double work_between(double minimum, const Expression& expression, const Names& names) {
  const double work = expression.evaluate(names);
  if (work >= minimum && work <= static_cast<double>(kLargestInteger)) return work;
  throw bad_input(fmt::format("{}: \"{}\" is {:g} here, and must be from {:g} to 2^53", expression.place().text(),
                              expression.text(), work, minimum));
}

}  // namespace

std::string to_string(const Space& space, const Problem& problem) {
  std::string text;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    text += space.dimensions[i].name + '=' + std::to_string(problem.dimensions[i]) + ' ';
  }
  text += "dtype=" + to_string(problem.dtype);
  return problem.traits.empty() ? text : text + ' ' + to_string(problem.traits);
}

std::optional<std::string> why_impossible(const Space& space, const Trait& trait, const Value& value, Dtype dtype) {
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  // Pointers to elements are aligned to the element already.
  if (trait.source == TraitSource::alignment && std::get<std::int64_t>(value) < element)
    return "an alignment below the element size, " + std::to_string(element) + " bytes";
  if (is_same_type(space, trait, value, dtype))
    return "that is the problem's own dtype, which is written " + trait.name + "=" + kSameType;
  return std::nullopt;
}

Assignment with_same_type(const Space& space, Assignment traits, Dtype dtype) {
  for (auto& [name, value] : traits) {
    const Trait* trait = space.find_trait(name);
    if (trait != nullptr && is_same_type(space, *trait, value, dtype)) value = kSameType;
  }
  return traits;
}

Problem make_problem(const Space& space, std::vector<std::int64_t> dimensions, Dtype dtype, const Assignment& traits) {
  check_dimensions(space, dimensions);
  check_dtype(space, dtype);
  Problem problem{std::move(dimensions), dtype, complete_traits(space, traits, dtype)};
  check_domains(space, problem);
  return problem;
}

Names dtype_enumerators(const Space& space) {
  Names names;
  for (std::size_t i = 0; i < space.dtypes.size(); ++i)
    names["DTYPE." + to_string(space.dtypes[i])] = static_cast<double>(i);
  return names;
}

Names names_of(const Space& space, const Problem& problem, const TargetFacts& facts) {
  Names names{{"ELEMENT_BYTES", static_cast<double>(size_of(problem.dtype))},
              {"WAVE_SIZE", facts.wave_size},
              {"LDS_BYTES", static_cast<double>(facts.lds_bytes)},
              {"COMPUTE_UNITS", facts.compute_units},
              {"MAX_CLUSTER", facts.max_cluster}};
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    names[space.dimensions[i].name] = static_cast<double>(problem.dimensions[i]);
  }
  names.merge(dtype_enumerators(space));
  names["DTYPE"] = names.at("DTYPE." + to_string(problem.dtype));
  add_values(names, space.traits, problem.traits);
  return names;
}

Names names_of(const Space& space, const Problem& problem, const TargetFacts& facts, const Assignment& config) {
  Names names = names_of(space, problem, facts);
  add_values(names, space.tunables, config);
  return names;
}

std::vector<BufferShape> buffer_shapes(const Space& space, const Problem& problem, const TargetFacts& facts) {
  const Names names = names_of(space, problem, facts);
  std::vector<BufferShape> shapes;
  for (const BufferArgument* buffer : space.buffers()) shapes.push_back(shape_of(*buffer, names, problem));
  return shapes;
}

Work work_of(const Space& space, const Problem& problem, const TargetFacts& facts) {
  const Names names = names_of(space, problem, facts);
  return {work_between(1, space.work_bytes, names), work_between(0, space.work_flops, names)};
}

}  // namespace hiptune
