#include "gate/precheck.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "device/host/backend.hpp"

namespace hiptune {

// One way of running, with a device of its own.
struct Precheck::Stage {
  std::string phase;
  std::unique_ptr<Device> device;
  Gate gate;

  Stage(std::string name, const host::HostSettings& settings, const Kernel& kernel, Compiler& compiler)
      : phase(std::move(name)),
        device(host::open_with(settings)),
        gate(kernel, *device, compiler, Repeats::every_order) {}
};

namespace {

// As the CPU can be: few compute units, so that grids made for them loop at small shapes.
TargetFacts facts_here(const TargetFacts& target) {
  const TargetFacts host = host::facts_of(target.wave_size);
  TargetFacts facts = target;
  facts.compute_units = 2;
  facts.max_cluster = 1;
  facts.max_block_threads = std::min(facts.max_block_threads, host.max_block_threads);
  return facts;
}

// Branches depend on shapes, and hardly on values: of these the gate on the device has tried all.
const std::vector<Pattern>& few_patterns() {
  static const std::vector<Pattern> patterns{Pattern::zeros, Pattern::not_a_number};
  return patterns;
}

}  // namespace

std::string to_string(PrecheckVerdict::Outcome outcome) {
  switch (outcome) {
    case PrecheckVerdict::Outcome::passed:
      return "passed";
    case PrecheckVerdict::Outcome::rejected:
      return "rejected";
    case PrecheckVerdict::Outcome::impossible:
      return "impossible";
  }
  throw std::logic_error("unknown outcome of a precheck");
}

std::string to_string(const PrecheckVerdict& verdict) {
  return verdict.detail.empty() ? to_string(verdict.outcome) : to_string(verdict.outcome) + ": " + verdict.detail;
}

PrecheckVerdict::Outcome parse_precheck_outcome(const std::string& text) {
  using enum PrecheckVerdict::Outcome;
  for (const auto outcome : {passed, rejected, impossible})
    if (text == to_string(outcome)) return outcome;
  throw std::invalid_argument("unknown outcome of a precheck: " + text);
}

Precheck::Precheck(const Kernel& kernel, const Problem& problem, const TargetFacts& target, Device& host,
                   Compiler& host_compiler, const std::string& temporary_directory, std::uint64_t seed)
    : kernel_(&kernel), problem_(problem), facts_(facts_here(target)), compiler_(&host_compiler) {
  const Oracle oracle(kernel, problem, host, host_compiler);
  const auto add = [&](const std::string& phase, bool watched, Pages pages, const std::vector<Pattern>& adversarial) {
    const host::HostSettings settings{
        .facts = facts_, .watched = watched, .pages = pages, .temporary_directory = temporary_directory};
    stages_.push_back(std::make_unique<Stage>(phase, settings, kernel, host_compiler));
    for (GateCase& one : small_cases(kernel, problem, facts_, oracle, seed, {pages, adversarial})) {
      covers_tuned_extents_ = covers_tuned_extents_ || one.has_tuned_extents;
      stages_.back()->gate.add(std::move(one), Judged::on_host);
    }
  };
  add("precheck: bounds and races", true, Pages::none, few_patterns());
  add("precheck: inaccessible pages behind buffers", false, Pages::behind, {});
  add("precheck: inaccessible pages before buffers", false, Pages::before, {});
}

Precheck::~Precheck() = default;

PrecheckVerdict Precheck::check(const Config& config, const std::function<void(const std::string&)>& phase) {
  using enum PrecheckVerdict::Outcome;
  if (const auto why = why_invalid(kernel_->space, problem_, facts_, config)) return {impossible, *why};
  if (!covers_tuned_extents_) return {impossible, "rows of " + to_string(kernel_->space, problem_) + " are too long"};
  const Variant variant = make_variant(*kernel_, problem_, facts_, config);
  std::map<std::string, CompileResult> compiled;  // by architecture: two stages share one
  for (const auto& stage : stages_) {
    phase(stage->phase);
    const std::string& architecture = stage->device->target().architecture;
    if (!compiled.contains(architecture))
      compiled.emplace(architecture,
                       compiler_->compile({variant.source, variant.headers, variant.entry_points, architecture}));
    PrecheckVerdict verdict = check(*stage, config, variant, compiled.at(architecture));
    if (verdict.outcome != passed) return verdict;
  }
  return {};
}

PrecheckVerdict Precheck::check(Stage& stage, const Config& config, const Variant& variant,
                                const CompileResult& compiled) {
  using enum PrecheckVerdict::Outcome;
  if (const auto* failure = std::get_if<CompileFailure>(&compiled))
    return {rejected, "it does not compile for the CPU: " + failure->log};
  try {
    LoadedPlan plan(*stage.device, std::get<CodeObject>(compiled), variant.plan);
    const GateReport report = stage.gate.check(plan, config);
    if (report.failure) return {rejected, *report.failure};
    if (report.checks == 0) return {impossible, "it is valid at no small shape"};
  } catch (const LaunchFailure& failure) {
    return {impossible, failure.what()};
  }
  return {};
}

}  // namespace hiptune
