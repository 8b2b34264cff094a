#include <algorithm>
#include <map>

#include "hiptune/error.hpp"
#include "problem/config_names.hpp"
#include "problem/expression_syntax.hpp"
#include "problem/identifier.hpp"
#include "problem/named_values.hpp"
#include "problem/nearest.hpp"
#include "problem/problem.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

namespace {

const std::vector<std::string>& target_names() {
  static const std::vector<std::string> names{"DTYPE",     "ELEMENT_BYTES", "WAVE_SIZE",
                                              "LDS_BYTES", "COMPUTE_UNITS", "MAX_CLUSTER"};
  return names;
}

// Every declared name and where it was declared.
class Declarations {
 public:
  explicit Declarations(std::string file) : file_(std::move(file)) {
    for (const std::string& name : target_names()) where_[name] = "hiptune, for a fact of the problem or the target";
    for (const std::string& name : function_names()) where_[name] = "hiptune, for a function of expressions";
    for (const char* name : {"scalar_t", "hiptune"}) where_[name] = "hiptune, for generated code";
  }

  void declare(const std::string& name, const std::string& pointer) {
    if (const auto why = why_no_identifier(name)) fail(pointer, *why);
    const auto [taken, is_new] = where_.emplace(name, pointer);
    if (!is_new) fail(pointer, "the name \"" + excerpt(name) + "\" is already taken by " + taken->second);
  }

 private:
  [[noreturn]] void fail(const std::string& pointer, const std::string& what) const {
    throw bad_input(Place{file_, pointer}.text() + ": " + what);
  }

  std::string file_;
  std::map<std::string, std::string> where_;
};

std::string at_index(const std::string& section, std::size_t index) { return section + '/' + std::to_string(index); }

// The names of values and the enum classes that the generated header makes of words.
template <typename T>
void declare_values(Declarations& declarations, const std::vector<T>& list, const std::string& section) {
  for (const T& item : list) {
    declarations.declare(item.name, section + '/' + item.name);
    if (std::holds_alternative<std::int64_t>(item.values.front())) continue;
    declarations.declare(enum_name(item.name), section + '/' + item.name);
  }
}

// A buffer's name, and that of its type in the generated header, where a trait says it.
template <typename T>
void declare_buffer(Declarations& declarations, const T& buffer, const std::string& pointer) {
  declarations.declare(buffer.name, pointer);
  if (!buffer.type.trait.empty()) declarations.declare(type_name(buffer.name), pointer);
}

void declare_arguments(Declarations& declarations, const Space& space) {
  for (std::size_t i = 0; i < space.arguments.size(); ++i) {
    const std::string pointer = at_index("/arguments", i);
    const auto declare = [&](const auto& argument) {
      using Kind = std::decay_t<decltype(argument)>;
      if constexpr (std::is_same_v<Kind, BufferArgument>)
        declare_buffer(declarations, argument, pointer);
      else if constexpr (!std::is_same_v<Kind, DimensionArgument>)
        declarations.declare(argument.name, pointer);
    };
    std::visit(declare, space.arguments[i]);
  }
}

// What an expression may name.
class Scope {
 public:
  explicit Scope(const Space& space) : batch_(space.batch_dimensions()), names_(target_names()) {
    for (const Dimension& dimension : space.dimensions) names_.push_back(dimension.name);
    for (const auto& [name, value] : dtype_enumerators(space)) names_.push_back(name);
    add(space.traits);
  }

  Scope with_tunables(const Space& space) const {
    Scope wider = *this;
    wider.add(space.tunables);
    return wider;
  }

  void check(const Expression& expression) const { check_syntax(expression, names_); }

  // `what` is the thing that must be the same for every value of the batch dimensions.
  void check_without_batch(const Expression& expression, const std::string& what) const {
    check(expression);
    for (const std::string& name : batch_) {
      if (!expression.mentions(name)) continue;
      throw bad_input(expression.where() + ": " + what + " may not mention the batch dimension \"" + name +
                      "\", which varies from call to call");
    }
  }

  // Of what a launch evaluates for its own batch dimensions.
  void check_for_launch(const Expression& expression) const {
    check(expression);
    check_closed_form(expression, batch_);
  }

 private:
  template <typename T>
  void add(const std::vector<T>& list) {
    for (const T& item : list) {
      names_.push_back(item.name);
      for (const auto& [name, value] : enumerators_of(item)) names_.push_back(name);
    }
  }

  std::vector<std::string> batch_;
  std::vector<std::string> names_;
};

void check_launch(const LaunchRule& rule, const Scope& scope) {
  for (const Expression& expression : rule.grid) scope.check_for_launch(expression);
  for (const Expression& expression : rule.block) scope.check_without_batch(expression, "a block's size");
  scope.check_without_batch(rule.dynamic_lds, "dynamic LDS");
  scope.check_without_batch(rule.cluster, "a cluster's size");
  if (rule.when) scope.check_without_batch(*rule.when, "\"when\"");
}

[[noreturn]] void fail_at(const Space& space, std::size_t argument, const std::string& what) {
  throw bad_input(Place{space.file, at_index("/arguments", argument)}.text() + ": " + what);
}

void check_dimension_argument(const Space& space, std::size_t index, const DimensionArgument& argument) {
  if (space.find_dimension(argument.name) != nullptr) return;
  const std::vector<std::string> known = names_in(space.dimensions);
  fail_at(space, index,
          "there is no dimension \"" + excerpt(argument.name) + "\"" + did_you_mean(argument.name, known) +
              "; there are " + join(known));
}

void check_stride(const Space& space, std::size_t index, const StrideArgument& stride) {
  const std::vector<const BufferArgument*> buffers = space.buffers();
  const auto found = std::ranges::find(buffers, stride.buffer, &BufferArgument::name);
  if (found == buffers.end()) fail_at(space, index, "there is no buffer \"" + excerpt(stride.buffer) + "\"");
  if ((*found)->extent.size() == 2) return;
  fail_at(space, index, "the buffer \"" + excerpt(stride.buffer) + "\" has one dimension, and so no row stride");
}

// The dispatcher reads every dimension from a call, and compares strides with rows there.
void check_calls(const Space& space) {
  std::vector<std::string> missing = names_in(space.dimensions);
  for (const Argument& argument : space.arguments)
    if (const auto* dimension = std::get_if<DimensionArgument>(&argument)) std::erase(missing, dimension->name);
  if (!missing.empty())
    throw bad_input(Place{space.file, "/arguments"}.text() + ": the dimension \"" + missing.front() +
                    "\" is no argument, so that no call could say it; add {\"dimension\": \"" + missing.front() +
                    "\"}");
  const std::vector<std::string> dimensions = names_in(space.dimensions);
  for (const Argument& argument : space.arguments)
    if (const auto* stride = std::get_if<StrideArgument>(&argument))
      for (const BufferArgument* buffer : space.buffers())
        if (buffer->name == stride->buffer) check_closed_form(buffer->extent.back(), dimensions);
}

void check_one_stride_per_buffer(const Space& space) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < space.arguments.size(); ++i) {
    const auto* stride = std::get_if<StrideArgument>(&space.arguments[i]);
    if (stride == nullptr) continue;
    if (std::ranges::count(seen, stride->buffer) > 0) {
      fail_at(space, i, "the buffer \"" + stride->buffer + "\" has a row stride already");
    }
    seen.push_back(stride->buffer);
  }
}

}  // namespace

void check_names(const Space& space) {
  Declarations declarations(space.file);
  for (const Dimension& dimension : space.dimensions) {
    declarations.declare(dimension.name, "/dimensions/" + dimension.name);
  }
  declare_values(declarations, space.traits, "/traits");
  declare_values(declarations, space.tunables, "/tunables");
  declare_arguments(declarations, space);
  for (std::size_t i = 0; i < space.workspaces.size(); ++i) {
    declare_buffer(declarations, space.workspaces[i], at_index("/workspaces", i));
  }
}

void check_arguments(const Space& space) {
  for (std::size_t i = 0; i < space.arguments.size(); ++i) {
    const Argument& argument = space.arguments[i];
    if (const auto* dimension = std::get_if<DimensionArgument>(&argument))
      check_dimension_argument(space, i, *dimension);
    if (const auto* stride = std::get_if<StrideArgument>(&argument)) check_stride(space, i, *stride);
  }
  check_one_stride_per_buffer(space);
  check_element_types(space);
  check_domains_by_dtype(space);
  check_aliased_pairs(space);
  check_calls(space);
  const auto is_output = [](const BufferArgument* buffer) { return buffer->role != Role::in; };
  if (std::ranges::any_of(space.buffers(), is_output)) return;
  throw bad_input(Place{space.file, "/arguments"}.text() + ": at least one buffer must have the role out or inout");
}

void check_expressions(const Space& space) {
  const Scope problem(space);
  const Scope config = problem.with_tunables(space);
  for (const BufferArgument* buffer : space.buffers()) {
    for (const Expression& extent : buffer->extent) problem.check(extent);
  }
  problem.check(space.work_bytes);
  problem.check(space.work_flops);
  for (const Workspace& workspace : space.workspaces) config.check_for_launch(workspace.extent);
  for (const Constraint& constraint : space.constraints) {
    config.check_without_batch(constraint.expression, "a constraint");
  }
  for (const LaunchRule& rule : space.plan) check_launch(rule, config);
  config.check(space.tolerance.atol);
  config.check(space.tolerance.rtol);
}

}  // namespace hiptune
