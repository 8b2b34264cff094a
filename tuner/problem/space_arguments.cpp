#include <cmath>

#include "problem/nearest.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

namespace {

Role read_role(const JsonNode& node) {
  const std::string role = node.text();
  if (role == "in") return Role::in;
  if (role == "out") return Role::out;
  if (role == "inout") return Role::inout;
  node.fail("must be \"in\", \"out\" or \"inout\"");
}

Domain read_one_domain(const JsonNode& node) {
  node.require_only({"smallest", "largest", "non_finite"});
  Domain domain{node.at("smallest").number(), node.at("largest").number(), false};
  if (const auto non_finite = node.find("non_finite")) domain.non_finite = non_finite->boolean();
  if (domain.smallest < 0 || domain.smallest > domain.largest) {
    node.fail("\"smallest\" must be at least 0 and at most \"largest\"; both are magnitudes");
  }
  return domain;
}

bool is_by_dtype(const JsonNode& node) {
  const std::vector<std::pair<std::string, JsonNode>> members = node.members();
  return !members.empty() && parse_dtype(members.front().first);
}

// One domain for every dtype of the problem, or one for each; that all are there is checked with the arguments.
void read_domain(BufferArgument& buffer, const JsonNode& node) {
  if (!is_by_dtype(node)) {
    buffer.domain = read_one_domain(node);
    return;
  }
  for (const auto& [name, member] : node.members()) {
    const std::optional<Dtype> dtype = parse_dtype(name);
    if (!dtype) member.fail("is no dtype; one domain for each of the kernel's dtypes, or one for all");
    buffer.domains[*dtype] = read_one_domain(member);
  }
}

// A word that is no dtype is the name of a trait, which is checked with the arguments.
ElementType read_type(const JsonNode& node) {
  const std::optional<JsonNode> type = node.find("type");
  if (!type) return {};
  const std::string name = type->text();
  if (const std::optional<Dtype> dtype = parse_dtype(name)) return {dtype, ""};
  return {std::nullopt, name};
}

BufferArgument read_buffer(const JsonNode& node) {
  node.require_only({"buffer", "role", "type", "extent", "domain", "description"});
  BufferArgument buffer;
  buffer.name = node.at("buffer").text();
  buffer.role = read_role(node.at("role"));
  buffer.type = read_type(node);
  buffer.extent = read_expressions(node.at("extent"), 2);
  if (buffer.role != Role::out) read_domain(buffer, node.at("domain"));
  if (buffer.role == Role::out && node.find("domain")) node.at("domain").fail("an output has no domain; remove it");
  buffer.description = read_text_or_none(node, "description");
  return buffer;
}

// A default or an end of the range: a value that the scalar's type can hold.
double read_bound(const JsonNode& node, Dtype type) {
  return is_floating(type) ? node.number() : static_cast<double>(node.integer());
}

Dtype read_scalar_type(const JsonNode& node) {
  const Dtype type = read_dtype(node);
  if (size_of(type) >= sizeof(float)) return type;
  node.fail("a scalar of type " + to_string(type) + ": callers pass numbers of 16 bits as f32; write \"f32\"");
}

ScalarArgument read_scalar(const JsonNode& node) {
  node.require_only({"scalar", "type", "default", "range", "description"});
  ScalarArgument scalar;
  scalar.name = node.at("scalar").text();
  scalar.type = read_scalar_type(node.at("type"));
  const std::vector<JsonNode> range = node.at("range").items();
  if (range.size() != 2) node.at("range").fail("must be [minimum, maximum]");
  scalar.minimum = read_bound(range[0], scalar.type);
  scalar.maximum = read_bound(range[1], scalar.type);
  if (scalar.minimum > scalar.maximum) node.at("range").fail("the minimum is above the maximum");
  scalar.default_value = read_bound(node.at("default"), scalar.type);
  if (scalar.default_value < scalar.minimum || scalar.default_value > scalar.maximum) {
    node.at("default").fail("is outside of \"range\"");
  }
  scalar.description = read_text_or_none(node, "description");
  return scalar;
}

DimensionArgument read_dimension_argument(const JsonNode& node) {
  node.require_only({"dimension"});
  return {node.at("dimension").text()};
}

StrideArgument read_stride(const JsonNode& node) {
  node.require_only({"stride", "of"});
  return {node.at("stride").text(), node.at("of").text()};
}

Argument read_argument(const JsonNode& node) {
  if (node.find("buffer")) return read_buffer(node);
  if (node.find("scalar")) return read_scalar(node);
  if (node.find("dimension")) return read_dimension_argument(node);
  if (node.find("stride")) return read_stride(node);
  node.fail("must have one of the fields \"buffer\", \"scalar\", \"dimension\" and \"stride\"");
}

Workspace read_workspace(const JsonNode& node) {
  node.require_only({"buffer", "type", "extent"});
  return {node.at("buffer").text(), read_type(node), read_expression(node.at("extent"))};
}

}  // namespace

std::vector<Argument> read_arguments(const JsonNode& node) {
  std::vector<Argument> arguments;
  for (const JsonNode& item : node.some_items()) arguments.push_back(read_argument(item));
  return arguments;
}

std::vector<Workspace> read_workspaces(const JsonNode& node) {
  std::vector<Workspace> workspaces;
  for (const JsonNode& item : node.items()) workspaces.push_back(read_workspace(item));
  return workspaces;
}

}  // namespace hiptune
