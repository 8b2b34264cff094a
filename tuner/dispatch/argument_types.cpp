#include "dispatch/argument_types.hpp"

#include <spdlog/fmt/fmt.h>

#include "problem/problem_buffers.hpp"

namespace hiptune {
namespace {

using detail::ArgumentKind;
using detail::ArgumentType;

// As near to the caller's C++ type as its traits tell.
std::string text_of(const ArgumentType& type) {
  const auto number = [&](bool floating) {
    if (floating) return std::string(type.bytes == 4 ? "float" : type.bytes == 8 ? "double" : "long double");
    return fmt::format("a {}-bit integer", 8 * type.bytes);
  };
  if (type.kind == ArgumentKind::integer || type.kind == ArgumentKind::floating)
    return number(type.kind == ArgumentKind::floating);
  const std::string constness = type.kind == ArgumentKind::pointer_to_const ? "const " : "";
  if (type.bytes == 0) return constness + "void*";
  if (type.floating_pointee) return constness + number(true) + "*";
  return fmt::format("a pointer to {}{}-byte elements", constness, type.bytes);
}

bool is_pointer(const ArgumentType& type) {
  return type.kind == ArgumentKind::pointer || type.kind == ArgumentKind::pointer_to_const;
}

// Applications have types of their own for numbers of 16 bits.
bool fits(const ArgumentType& pointer, Dtype element) {
  if (pointer.bytes == 0) return true;
  if (pointer.bytes != size_of(element)) return false;
  return size_of(element) == 2 || pointer.floating_pointee == is_floating(element);
}

std::string pointer_text(Dtype element, bool is_input) {
  const std::string constness = is_input ? "const " : "";
  if (size_of(element) == 2) return "a pointer to " + constness + "2-byte elements (" + to_string(element) + ")";
  return constness + cpp_name(element) + "*";
}

// What the argument's type must be, in C++; empty when `type` is that.
struct Mismatch {
  const Problem& problem;
  const ArgumentType& type;

  std::string operator()(const BufferArgument& buffer) const {
    const std::optional<Dtype> element = element_type(buffer.type, problem);
    if (!element) return is_pointer(type) ? "" : "a pointer";
    const bool is_input = buffer.role == Role::in;
    const bool is_writable = is_input || type.kind == ArgumentKind::pointer;
    return is_pointer(type) && is_writable && fits(type, *element) ? "" : pointer_text(*element, is_input);
  }
  std::string operator()(const ScalarArgument& scalar) const {
    const auto kind = is_floating(scalar.type) ? ArgumentKind::floating : ArgumentKind::integer;
    return type.kind == kind && type.bytes == size_of(scalar.type) ? "" : cpp_name(scalar.type);
  }
  std::string operator()(const DimensionArgument&) const { return int64(); }
  std::string operator()(const StrideArgument&) const { return int64(); }
  [[nodiscard]] std::string int64() const {
    return type.kind == ArgumentKind::integer && type.bytes == sizeof(std::int64_t) ? "" : "std::int64_t";
  }
};

struct UntypedArgument {
  ArgumentType operator()(const BufferArgument&) const { return {ArgumentKind::pointer, 0}; }
  ArgumentType operator()(const ScalarArgument& scalar) const {
    return {is_floating(scalar.type) ? ArgumentKind::floating : ArgumentKind::integer, size_of(scalar.type)};
  }
  ArgumentType operator()(const DimensionArgument&) const { return {ArgumentKind::integer, sizeof(std::int64_t)}; }
  ArgumentType operator()(const StrideArgument&) const { return {ArgumentKind::integer, sizeof(std::int64_t)}; }
};

std::string names_of_arguments(const Space& space) {
  std::string text;
  for (const Argument& argument : space.arguments) text += (text.empty() ? "" : ", ") + argument_name(argument);
  return text;
}

}  // namespace

std::vector<ArgumentType> untyped_arguments(const Space& space) {
  std::vector<ArgumentType> types;
  for (const Argument& argument : space.arguments) types.push_back(std::visit(UntypedArgument{}, argument));
  return types;
}

std::string argument_name(const Argument& argument) {
  return std::visit([](const auto& a) { return a.name; }, argument);
}

void require_types(const Space& space, const Problem& problem, const std::vector<ArgumentType>& types) {
  if (types.size() != space.arguments.size())
    throw bad_input(fmt::format("bind(\"{}\"): {} argument types given, the kernel takes {}: {}", space.kernel,
                                types.size(), space.arguments.size(), names_of_arguments(space)));
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string wanted = std::visit(Mismatch{problem, types[i]}, space.arguments[i]);
    if (!wanted.empty())
      throw bad_input(fmt::format("bind(\"{}\"): argument {}, {}, must be {}, and is {}", space.kernel, i + 1,
                                  argument_name(space.arguments[i]), wanted, text_of(types[i])));
  }
}

}  // namespace hiptune
