#include <cctype>
#include <limits>

#include "problem/config_names.hpp"
#include "problem/problem_buffers.hpp"
#include "problem/variant.hpp"

namespace hiptune {

namespace {

std::string integer_line(const std::string& name, std::int64_t value) {
  const bool fits = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return std::string("constexpr ") + (fits ? "int " : "long long ") + name + " = " + std::to_string(value) + ";\n";
}

std::string enum_lines(const std::string& name, const std::vector<Value>& values, const std::string& chosen) {
  const std::string type = enum_name(name);
  std::string words;
  for (const Value& value : values) words += (words.empty() ? "" : ", ") + to_string(value);
  return "enum class " + type + " { " + words + " };\n" + "constexpr " + type + " " + name + " = " + type +
         "::" + chosen + ";\n";
}

// One line per name; T is Tunable or Trait.
template <typename T>
std::string lines_of(const std::vector<T>& list, const Assignment& chosen) {
  std::string lines;
  for (const T& item : list) {
    const Value* value = find(chosen, item.name);
    if (value == nullptr) continue;
    const auto* integer = std::get_if<std::int64_t>(value);
    lines += integer != nullptr ? integer_line(item.name, *integer)
                                : enum_lines(item.name, item.values, std::get<std::string>(*value));
  }
  return lines;
}

// hiptune_device.h, which defines them, may be included after this header.
const std::string kForwardDeclarations = "namespace hiptune {\nstruct f16;\nstruct bf16;\n}  // namespace hiptune\n";

template <typename T>
std::string type_line(const T& buffer, const Problem& problem) {
  if (buffer.type.trait.empty()) return "";
  const Dtype type = element_type(buffer.type, problem).value_or(problem.dtype);
  return "using " + type_name(buffer.name) + " = " + cpp_name(type) + ";\n";
}

std::string type_lines(const Space& space, const Problem& problem) {
  std::string lines;
  for (const BufferArgument* buffer : space.buffers()) lines += type_line(*buffer, problem);
  for (const Workspace& workspace : space.workspaces) lines += type_line(workspace, problem);
  return lines;
}

}  // namespace

std::string enum_name(const std::string& name) {
  std::string type;
  bool starts_word = true;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (c != '_') type += static_cast<char>(starts_word ? std::toupper(letter) : std::tolower(letter));
    starts_word = c == '_';
  }
  return type;
}

std::string type_name(const std::string& buffer) { return buffer + "_t"; }

std::string config_header(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config) {
  return "#pragma once\n\n" + kForwardDeclarations + "using scalar_t = " + cpp_name(problem.dtype) + ";\n" +
         type_lines(space, problem) + integer_line("ELEMENT_BYTES", static_cast<std::int64_t>(size_of(problem.dtype))) +
         integer_line("WAVE_SIZE", facts.wave_size) + lines_of(space.traits, problem.traits) +
         lines_of(space.tunables, config);
}

}  // namespace hiptune
