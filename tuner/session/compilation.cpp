#include "session/compilation.hpp"

#include <algorithm>
#include <chrono>

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
  compilation.code = std::get<CodeObject>(std::move(result));
  trial.outcome = Outcome::compiled;
  trial.isa_hash = compilation.code->isa_hash;
  trial.resources = compilation.code->resources;
  return compilation;
}

}  // namespace hiptune
