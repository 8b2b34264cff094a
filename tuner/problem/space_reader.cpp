#include <algorithm>

#include "problem/config.hpp"
#include "problem/identifier.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

namespace {

constexpr std::int64_t kSchemaVersion = 1;

void check_version(const JsonNode& root) {
  const JsonNode node = root.at("schema_version");
  const std::int64_t version = node.integer();
  const std::string reads = "this hiptune reads version " + std::to_string(kSchemaVersion);
  if (version > kSchemaVersion) node.fail("version " + std::to_string(version) + " is newer; " + reads);
  if (version < kSchemaVersion) node.fail("there is no version " + std::to_string(version) + "; " + reads);
}

std::string read_identifier(const JsonNode& node) {
  std::string name = node.text();
  if (const auto why = why_no_identifier(name)) node.fail(*why);
  return name;
}

Dimension read_dimension(const std::string& name, const JsonNode& node) {
  node.require_only({"minimum", "maximum", "batch", "description"});
  Dimension dimension{name, node.at("minimum").integer(), node.at("maximum").integer(), false,
                      read_text_or_none(node, "description")};
  if (dimension.minimum < 1) node.at("minimum").fail("must be at least 1");
  if (dimension.maximum < dimension.minimum) node.at("maximum").fail("is below \"minimum\"");
  if (const auto batch = node.find("batch")) dimension.batch = batch->boolean();
  return dimension;
}

std::vector<Dimension> read_dimensions(const JsonNode& node) {
  std::vector<Dimension> dimensions;
  for (const auto& [name, member] : node.members()) dimensions.push_back(read_dimension(name, member));
  if (std::ranges::none_of(dimensions, &Dimension::batch)) {
    node.fail("at least one dimension must be a batch dimension (\"batch\": true)");
  }
  return dimensions;
}

std::vector<Dtype> read_dtypes(const JsonNode& node) {
  std::vector<Dtype> dtypes;
  for (const JsonNode& item : node.some_items()) {
    const Dtype dtype = read_dtype(item);
    if (std::ranges::count(dtypes, dtype) > 0) item.fail("the dtype " + to_string(dtype) + " stands twice");
    dtypes.push_back(dtype);
  }
  return dtypes;
}

TraitSource read_source(const JsonNode& node) {
  const std::string source = node.text();
  if (source == "given") return TraitSource::given;
  if (source == "alignment") return TraitSource::alignment;
  if (source == "aliasing") return TraitSource::aliasing;
  node.fail("must be \"given\", \"alignment\" or \"aliasing\"");
}

void check_alignments(const Trait& trait, const JsonNode& node) {
  std::int64_t previous = 0;
  for (const JsonNode& item : node.items()) {
    const std::int64_t value = item.integer();
    if (value < 1 || (value & (value - 1)) != 0) item.fail("an alignment is a power of two, in bytes");
    if (value <= previous) item.fail("the alignments of " + trait.name + " must ascend");
    previous = value;
  }
}

// What the pair must be is checked with the arguments.
AliasedPair read_aliased(const Trait& trait, const JsonNode& node) {
  if (trait.values != std::vector<Value>{kApart, kInPlace})
    node.at("values").fail("a trait found by aliasing has the values [\"no\", \"yes\"]");
  if (trait.default_index != 0) node.at("default").fail("must be \"no\": a call in place is the special one");
  const JsonNode buffers = node.at("buffers");
  const std::vector<JsonNode> names = buffers.items();
  if (names.size() != 2) buffers.fail("must be the names of two buffers, an input and an output");
  return {names[0].text(), names[1].text()};
}

Trait read_trait(const std::string& name, const JsonNode& node) {
  node.require_only({"values", "default", "source", "buffers", "description"});
  Trait trait{name, read_values(node.at("values")), 0, TraitSource::given, read_text_or_none(node, "description")};
  const Value preset = read_value(node.at("default"));
  const auto found = std::ranges::find(trait.values, preset);
  if (found == trait.values.end()) node.at("default").fail("is not one of \"values\"");
  trait.default_index = static_cast<std::size_t>(found - trait.values.begin());
  if (const auto source = node.find("source")) trait.source = read_source(*source);
  if (trait.source == TraitSource::alignment) check_alignments(trait, node.at("values"));
  if (trait.source == TraitSource::aliasing) trait.aliased = read_aliased(trait, node);
  if (trait.source != TraitSource::aliasing && node.find("buffers"))
    node.at("buffers").fail("only a trait whose source is \"aliasing\" is about buffers; remove it");
  return trait;
}

std::vector<Trait> read_traits(const JsonNode& node) {
  std::vector<Trait> traits;
  for (const auto& [name, member] : node.members()) traits.push_back(read_trait(name, member));
  return traits;
}

Tunable read_tunable(const std::string& name, const JsonNode& node) {
  if (node.is_array()) return {name, read_values(node), ""};
  node.require_only({"values", "description"});
  return {name, read_values(node.at("values")), read_text_or_none(node, "description")};
}

std::vector<Tunable> read_tunables(const JsonNode& node) {
  std::vector<Tunable> tunables;
  for (const auto& [name, member] : node.members()) tunables.push_back(read_tunable(name, member));
  if (tunables.empty()) node.fail("must not be empty: without tunables there is nothing to search");
  return tunables;
}

std::vector<Constraint> read_constraints(const JsonNode& node) {
  std::vector<Constraint> constraints;
  for (const JsonNode& item : node.items()) {
    item.require_only({"require", "reason"});
    constraints.push_back({read_expression(item.at("require")), item.at("reason").text()});
  }
  return constraints;
}

LaunchRule read_launch(const JsonNode& node) {
  node.require_only({"entry", "grid", "block", "dynamic_lds", "cluster", "when"});
  LaunchRule rule;
  rule.entry = read_identifier(node.at("entry"));
  rule.grid = read_expressions(node.at("grid"), 3);
  rule.block = read_expressions(node.at("block"), 3);
  rule.dynamic_lds = read_expression_or(node, "dynamic_lds", "0");
  rule.cluster = read_expression_or(node, "cluster", "1");
  if (const auto when = node.find("when")) rule.when = read_expression(*when);
  return rule;
}

std::vector<LaunchRule> read_plan(const JsonNode& node) {
  std::vector<LaunchRule> plan;
  for (const JsonNode& item : node.some_items()) plan.push_back(read_launch(item));
  return plan;
}

Tolerance read_tolerance(const JsonNode& node) {
  node.require_only({"atol", "rtol", "reason", "origin"});
  Tolerance tolerance{read_expression(node.at("atol")), read_expression(node.at("rtol")), node.at("reason").text()};
  if (const auto origin = node.find("origin")) tolerance.origin = origin->number();
  return tolerance;
}

bool rejects_spills(const JsonNode& node) {
  const std::string text = node.text();
  if (text != "allowed" && text != "rejected") node.fail("must be \"allowed\" or \"rejected\"");
  return text == "rejected";
}

Assignment read_config(const Space& space, const JsonNode& node) {
  Assignment assignment;
  for (const auto& [name, member] : node.members()) assignment.emplace_back(name, read_value(member));
  return make_config(space, assignment, node.place().text());
}

std::vector<Baseline> read_baselines(const Space& space, const JsonNode& node) {
  std::vector<Baseline> baselines;
  for (const auto& [name, member] : node.members()) baselines.push_back({name, read_config(space, member)});
  return baselines;
}

void read_problem_side(Space& space, const JsonNode& root) {
  space.kernel = read_identifier(root.at("kernel"));
  space.description = read_text_or_none(root, "description");
  space.dimensions = read_dimensions(root.at("dimensions"));
  space.dtypes = read_dtypes(root.at("dtypes"));
  if (const auto traits = root.find("traits")) space.traits = read_traits(*traits);
  space.arguments = read_arguments(root.at("arguments"));
  if (const auto workspaces = root.find("workspaces")) space.workspaces = read_workspaces(*workspaces);
}

void read_search_side(Space& space, const JsonNode& root) {
  space.tunables = read_tunables(root.at("tunables"));
  if (const auto constraints = root.find("constraints")) space.constraints = read_constraints(*constraints);
  space.plan = read_plan(root.at("plan"));
  const JsonNode work = root.at("work");
  work.require_only({"bytes", "flops"});
  space.work_bytes = read_expression(work.at("bytes"));
  space.work_flops = read_expression(work.at("flops"));
  if (const auto spills = root.find("spills")) space.rejects_spills = rejects_spills(*spills);
  space.tolerance = read_tolerance(root.at("tolerance"));
}

// Texts for people, which change nothing that is tuned. By place: a tunable may be named "reason".
void erase_from_each(Json& parent, const char* section, const char* field) {
  if (!parent.contains(section)) return;
  for (Json& item : parent.at(section))
    if (item.is_object()) item.erase(field);
}

Json without_prose(Json document) {
  for (const char* field : {"$schema", "description"}) document.erase(field);
  for (const char* section : {"dimensions", "traits", "arguments", "tunables"})
    erase_from_each(document, section, "description");
  erase_from_each(document, "constraints", "reason");
  document.at("tolerance").erase("reason");
  document.at("tolerance").erase("origin");
  return document;
}

void read_configs(Space& space, const JsonNode& root) {
  if (const auto baselines = root.find("baselines")) space.baselines = read_baselines(space, *baselines);
  space.fallback = read_config(space, root.at("fallback"));
}

}  // namespace

Space read_space(const std::string& json_text, const std::string& file) {
  const Json document = parse_json(json_text, file);
  const JsonNode root(document, {file, ""});
  check_version(root);
  root.require_only({"$schema", "schema_version", "kernel", "description", "dimensions", "dtypes", "traits",
                     "arguments", "workspaces", "tunables", "constraints", "spills", "plan", "work", "tolerance",
                     "baselines", "fallback"});
  Space space;
  space.file = file;
  read_problem_side(space, root);
  read_search_side(space, root);
  check_names(space);
  check_arguments(space);
  check_expressions(space);
  read_configs(space, root);
  check_fallback(space);
  space.canonical_text = without_prose(document).dump();
  return space;
}

}  // namespace hiptune
