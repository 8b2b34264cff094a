#include "session/compilation.hpp"

#include <algorithm>
#include <chrono>

#include <spdlog/fmt/fmt.h>

namespace hiptune {
namespace {

std::int64_t widest_launch(const Plan& plan, const std::vector<std::int64_t>& batch) {
  std::int64_t threads = 0;
  for (const LaunchPlan& launch : plan.launches) {
    const Geometry geometry = launch.geometry(batch);
    threads = std::max(threads, geometry.blocks() * geometry.threads_per_block());
  }
  return threads;
}

std::optional<std::string> why_rejected(const Space& space, const std::vector<std::string>& entries,
                                        const std::vector<Resources>& resources) {
  if (!space.rejects_spills) return std::nullopt;
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (const int spilled = resources[i].spilled_registers.value_or(0); spilled > 0)
      return fmt::format("{} spills {} registers", entries[i], spilled);
  return std::nullopt;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Compilation compile_config(const Kernel& kernel, const Problem& problem, const Target& target, const Config& config,
                           Compiler& compiler, const PhaseListener& phase) {
  Compilation compilation;
  Trial& trial = compilation.trial;
  trial.config = config;
  if (const auto reason = why_invalid(kernel.space, problem, target.facts, config)) {
    trial.detail = *reason;
    return compilation;
  }
  Variant variant = make_variant(kernel, problem, target.facts, config);
  compilation.plan = std::move(variant.plan);
  trial.threads = widest_launch(compilation.plan, batch_values(kernel.space, problem));
  phase("compile");
  const auto start = std::chrono::steady_clock::now();
  CompileResult result = compiler.compile({variant.source, variant.headers, variant.entry_points, target.architecture});
  trial.compile_seconds = seconds_since(start);
  if (auto* failure = std::get_if<CompileFailure>(&result)) {
    trial.outcome = Outcome::compile_failed;
    trial.detail = std::move(failure->log);
    return compilation;
  }
  CodeObject& code = std::get<CodeObject>(result);
  trial.isa_hash = code.isa_hash;
  trial.resources = code.resources;
  if (const auto reason = why_rejected(kernel.space, variant.entry_points, code.resources)) {
    trial.outcome = Outcome::invalid;
    trial.detail = *reason;
    return compilation;
  }
  trial.outcome = Outcome::compiled;
  compilation.code = std::move(code);
  return compilation;
}

}  // namespace hiptune
