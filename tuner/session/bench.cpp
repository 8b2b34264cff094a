#include "session/bench.hpp"

#include <algorithm>

#include "hiptune/error.hpp"
#include "session/memory.hpp"

namespace hiptune {
namespace {

std::vector<GateCase> all_cases(const Kernel& kernel, const Problem& problem, const TargetFacts& facts,
                                const Oracle& oracle, std::uint64_t seed) {
  std::vector<GateCase> cases = tuned_cases(kernel, problem, facts, oracle, seed);
  for (GateCase& small : small_cases(kernel, problem, facts, oracle, seed)) cases.push_back(std::move(small));
  return cases;
}

bool has_inout(const Space& space) {
  const auto buffers = space.buffers();
  return std::any_of(buffers.begin(), buffers.end(), [](const auto* buffer) { return buffer->role == Role::inout; });
}

std::size_t rotation_memory(const Device& device, double taken) {
  const double available = kMemoryShare * static_cast<double>(device.target().memory_bytes) - taken;
  return static_cast<std::size_t>(std::max(available, 0.0));
}

}  // namespace

Bench::Bench(Kernel kernel, const Problem& problem, Device& device, Compiler& compiler, Device& host,
             Compiler& host_compiler, std::uint64_t seed)
    : kernel_(std::move(kernel)), problem_(problem), device_(&device), compiler_(&compiler) {
  require_memory(kernel_.space, problem_, device, host, kTunedSets);
  const Oracle oracle(kernel_, problem_, host, host_compiler);
  gate_ = std::make_unique<Gate>(kernel_, device, all_cases(kernel_, problem_, device.target().facts, oracle, seed));
}

Trial Bench::run(const Config& config, const std::optional<TimingLimits>& limits, const PhaseListener& phase) {
  Compilation compilation = compile_config(kernel_, problem_, device_->target(), config, *compiler_, phase);
  Trial& trial = compilation.trial;
  if (!compilation.code) return std::move(trial);
  try {
    phase("load");
    LoadedPlan plan(*device_, *compilation.code, compilation.plan);
    gate_and_time(trial, plan, limits, phase);
  } catch (const LaunchFailure& failure) {
    trial.outcome = Outcome::launch_failed;
    trial.detail = failure.what();
  } catch (const KernelFault& fault) {
    trial.outcome = Outcome::wrong;
    trial.detail = fault.what();
  } catch (const Error& error) {                      // it does not load, or its workspaces do not fit
    if (error.kind() == ErrorKind::bad_input) throw;  // the space is wrong, and not this variant
    trial.outcome = Outcome::launch_failed;
    trial.detail = error.what();
  }
  if (trial.outcome != Outcome::timed) trial.samples.reset();
  return std::move(trial);
}

void Bench::gate_and_time(Trial& trial, LoadedPlan& plan, const std::optional<TimingLimits>& limits,
                          const PhaseListener& phase) {
  const auto take = [&](GateReport report) {
    trial.checks += report.checks;
    trial.errors.merge(report.errors);
    if (report.failure) trial.detail = std::move(*report.failure);
    trial.outcome = report.failure ? Outcome::wrong : limits ? Outcome::timed : Outcome::passed;
    return trial.outcome != Outcome::wrong;
  };
  phase("gate");
  if (!take(gate_->check(plan, trial.config)) || !limits) return;
  phase("time");
  trial.samples = time(plan, trial.config, *limits);
  phase("gate again");
  if (!take(gate_->recheck(plan, trial.config))) trial.detail = "after timing: " + trial.detail;
}

Rotation& Bench::rotation() {
  if (rotation_) return *rotation_;
  const TargetFacts& facts = device_->target().facts;
  const std::vector<BufferLayout> layouts = buffer_layouts(kernel_.space, problem_, facts, false);
  const std::size_t memory = rotation_memory(*device_, bytes_needed(kernel_.space, problem_, facts, kTunedSets));
  const RotationPlan plan = plan_rotation(total_bytes(layouts), device_->target().last_level_cache_bytes, memory);
  // The three random sets of the gate, in turn.
  const auto restore = [this](const BufferSet& set, std::size_t index) {
    upload(*device_, set, gate_->cases()[index % 3].images);
  };
  rotation_ = std::make_unique<Rotation>(*device_, layouts, plan, has_inout(kernel_.space), restore);
  return *rotation_;
}

Samples Bench::time(LoadedPlan& plan, const Config& config, const TimingLimits& limits) {
  const Space& space = kernel_.space;
  const TargetFacts& facts = device_->target().facts;
  plan.replan(make_plan(space, problem_, facts, config));
  const WorkspaceSet workspaces(*device_, workspace_bytes(space, problem_, facts, config));
  const std::vector<double>& scalars = gate_->cases().front().scalars;
  std::vector<ArgumentList> arguments;
  for (std::size_t i = 0; i < rotation().size(); ++i) {
    const BufferSet& set = rotation().set(i);
    arguments.emplace_back(
        space, problem_,
        CallValues{set.addresses(), strides_of(space, set.layouts()), scalars, workspaces.addresses()});
  }
  const std::vector<std::int64_t> batch = batch_values(space, problem_);
  const LaunchOver launch = [&](std::size_t set, Stream stream) {
    plan.launch(batch, arguments[set].pointers(), stream);
  };
  Timer timer(*device_, rotation(), limits, steady_clock());
  Samples samples;
  samples.cold = timer.cold(launch);
  samples.warm = timer.warm(launch);
  return samples;
}

Samples Bench::time_device_copy(Device& device, std::size_t bytes, const TimingLimits& limits) {
  const std::size_t half = std::max<std::size_t>(bytes / 2, 1);
  const BufferLayout layout{{1, static_cast<std::int64_t>(half), Dtype::f32}, 0, 0, half};
  const RotationPlan plan = plan_rotation(2 * half, device.target().last_level_cache_bytes, rotation_memory(device, 0));
  Rotation rotation(device, {layout, layout}, plan, false, [&](const BufferSet& set, std::size_t) {
    for (std::size_t i = 0; i < 2; ++i) device.fill(set.allocation(i), std::byte{1}, half, nullptr);
    device.synchronize(nullptr);
  });
  Timer timer(device, rotation, limits, steady_clock());
  const LaunchOver copy = [&](std::size_t set, Stream stream) {
    device.copy(rotation.set(set).allocation(1), rotation.set(set).allocation(0), half, stream);
  };
  Samples samples;
  samples.cold = timer.cold(copy);
  samples.warm = timer.warm(copy);
  return samples;
}

}  // namespace hiptune
