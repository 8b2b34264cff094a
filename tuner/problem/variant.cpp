#include "problem/variant.hpp"

#include <algorithm>
#include <limits>

#include "problem/config_errors.hpp"
#include "problem/config_names.hpp"
#include "problem/problem_buffers.hpp"

namespace hiptune {

namespace {

// Enough to keep every core of a CPU and most of a GPU busy; the oracle loops over the rest.
constexpr std::int64_t kReferenceBlocks = 256;

std::vector<SourceFile> headers_of(const Kernel& kernel, std::string config_text) {
  return {{"hiptune_config.h", std::move(config_text)}, kernel.device_layer};
}

std::vector<std::string> entries_of(const Plan& plan) {
  std::vector<std::string> entries;
  for (const LaunchPlan& launch : plan.launches) {
    if (std::ranges::count(entries, launch.entry) == 0) entries.push_back(launch.entry);
  }
  return entries;
}

Plan reference_plan(const std::string& entry) {
  LaunchPlan launch;
  launch.entry = entry;
  launch.grid.fill(ClosedForm(1));
  launch.grid[0] = ClosedForm(kReferenceBlocks);
  launch.grid_limit.fill(std::numeric_limits<std::int64_t>::max());
  return {{launch}};
}

// The types of an entry point's parameters, as the space declares its arguments.
struct ParameterTypes {
  bool is_reference;

  std::string operator()(const BufferArgument& buffer) const {
    const std::string element = element_name(buffer);
    if (buffer.role == Role::in) return "const " + element + "*";
    if (!is_reference) return element + "*";
    return buffer.role == Role::out ? "double*" : "const " + element + "*, double*";
  }
  std::string operator()(const ScalarArgument& scalar) const { return cpp_name(scalar.type); }
  std::string operator()(const DimensionArgument&) const { return "hiptune::int64"; }
  std::string operator()(const StrideArgument&) const { return "hiptune::int64"; }

  // Of a buffer or a workspace.
  template <typename T>
  static std::string element_name(const T& buffer) {
    if (!buffer.type.trait.empty()) return type_name(buffer.name);
    return buffer.type.dtype ? cpp_name(*buffer.type.dtype) : "scalar_t";
  }
};

// Appended to a source: a definition with other parameters, or one that is not extern "C", contradicts it, and the
// compiler says where.
std::string declarations(const Space& space, const SourceFile& source, const std::vector<std::string>& entries,
                         bool is_reference) {
  std::string parameters;
  const auto add = [&](const std::string& type) { parameters += (parameters.empty() ? "" : ", ") + type; };
  for (const Argument& argument : space.arguments) add(std::visit(ParameterTypes{is_reference}, argument));
  if (!is_reference)
    for (const Workspace& workspace : space.workspaces) add(ParameterTypes::element_name(workspace) + "*");
  std::string text = "\n#include \"hiptune_config.h\"\n#include \"hiptune_device.h\"\n";
  text += "#line 1 \"the space's declaration, which " + source.name + " must define as it stands\"\n";
  for (const std::string& entry : entries) text += "extern \"C\" __global__ void " + entry + "(" + parameters + ");\n";
  return text;
}

std::int64_t workspace_size(const Workspace& workspace, const Names& names, const Problem& problem) {
  const std::int64_t extent = workspace.extent.evaluate_integer(names);
  const std::int64_t element = element_bytes(workspace, problem);
  if (extent >= 0 && extent <= (std::int64_t{1} << 53) / element) return extent * element;
  throw bad_input(workspace.extent.place().text() + ": the workspace \"" + workspace.name + "\" of " +
                  std::to_string(extent) + " elements is negative or exceeds 2^53 bytes");
}

double limit_of(const Expression& expression, const Names& names) {
  const double limit = expression.evaluate(names);
  if (limit >= 0) return limit;
  throw bad_input(expression.where() + ": the tolerance is negative");
}

}  // namespace

Variant make_variant(const Kernel& kernel, const Problem& problem, const TargetFacts& facts, const Config& config) {
  Variant variant;
  variant.source = kernel.source;
  variant.headers = headers_of(kernel, config_header(kernel.space, problem, facts, config));
  variant.plan = make_plan(kernel.space, problem, facts, config);
  variant.entry_points = entries_of(variant.plan);
  variant.source.text += declarations(kernel.space, kernel.source, variant.entry_points, false);
  return variant;
}

Variant make_reference(const Kernel& kernel, const Problem& problem, const TargetFacts& facts) {
  Variant variant;
  variant.source = kernel.reference;
  variant.headers = headers_of(kernel, config_header(kernel.space, problem, facts, {}));
  variant.plan = reference_plan(kernel.name + "_reference");
  variant.entry_points = entries_of(variant.plan);
  variant.source.text += declarations(kernel.space, kernel.reference, variant.entry_points, true);
  return variant;
}

std::vector<std::int64_t> workspace_bytes(const Space& space, const Problem& problem, const TargetFacts& facts,
                                          const Config& config) {
  const Names names = names_of(space, problem, facts, config);
  return naming(config, [&] {
    std::vector<std::int64_t> bytes;
    for (const Workspace& workspace : space.workspaces) bytes.push_back(workspace_size(workspace, names, problem));
    return bytes;
  });
}

Limit tolerance_of(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config) {
  const Names names = names_of(space, problem, facts, config);
  const Limit limit = naming(config, [&] {
    return Limit{limit_of(space.tolerance.atol, names), limit_of(space.tolerance.rtol, names)};
  });
  if (limit.rtol < 0.5) return limit;
  throw bad_input(space.tolerance.rtol.where() + " is " + std::to_string(limit.rtol) + " for " +
                  to_string(space, problem) + " and " + to_string(config) +
                  ": from 0.5 on a tolerance passes results without a right digit; lower it");
}

}  // namespace hiptune
