#include "session/bench.hpp"

#include <algorithm>
#include <thread>

#include "hiptune/error.hpp"
#include "session/memory.hpp"
#include "session/timed_variant.hpp"

namespace hiptune {
namespace {

// In place is such a buffer, too.
bool has_inout(const std::vector<BufferLayout>& layouts) {
  return std::ranges::any_of(layouts, [](const BufferLayout& layout) { return layout.buffer.role == Role::inout; });
}

std::size_t rotation_memory(const Device& device, double taken) {
  const double available = kMemoryShare * static_cast<double>(device.target().memory_bytes) - taken;
  return static_cast<std::size_t>(std::max(available, 0.0));
}

}  // namespace

Bench::Bench(Kernel kernel, const Problem& problem, Device& device, Compiler& compiler, Device& host,
             Compiler& host_compiler, std::uint64_t seed, GateDepth depth)
    : kernel_(std::move(kernel)), problem_(problem), device_(&device), compiler_(&compiler), depth_(depth) {
  require_memory(kernel_.space, problem_, device, host, depth == GateDepth::tuned_shape ? 1 : kTunedSets);
  const Oracle oracle(kernel_, problem_, host, host_compiler);
  const TargetFacts& facts = device.target().facts;
  gate_ = std::make_unique<Gate>(kernel_, device, compiler);
  const std::size_t sets = depth == GateDepth::tuned_shape ? 1 : kTunedSets;
  for (std::size_t i = 0; i < sets; ++i)
    gate_->add(tuned_case(kernel_, problem_, facts, oracle, seed, i), Judged::on_device);
  if (depth == GateDepth::tuned_shape) return;
  for (GateCase& small : small_cases(kernel_, problem_, facts, oracle, seed))
    gate_->add(std::move(small), Judged::on_host);
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
  time(trial, plan, *limits);
  phase("gate again");
  if (!take(gate_->recheck(plan, trial.config))) trial.detail = "after timing: " + trial.detail;
}

// The inputs and right results that the gate keeps, and what a check takes.
double Bench::gate_bytes() const {
  const int sets = depth_ == GateDepth::tuned_shape ? 1 : kTunedSets;
  return sets * case_memory(kernel_.space, problem_, device_->target().facts, 1).device;
}

double Bench::rotation_bytes() const {
  if (!rotation_) return 0;
  const auto sets = static_cast<double>(rotation_->size());
  return sets * static_cast<double>(total_bytes(rotation_->set(0).layouts()));
}

Rotation& Bench::rotation() {
  if (rotation_) return *rotation_;
  const TargetFacts& facts = device_->target().facts;
  const std::vector<BufferLayout> layouts = timed_layouts(kernel_.space, problem_, facts);
  const std::size_t memory = rotation_memory(*device_, gate_bytes() + bytes_of_others_);
  const RotationPlan plan = plan_rotation(total_bytes(layouts), device_->target().last_level_cache_bytes, memory);
  const auto restore = [this](const BufferSet& set, std::size_t index) { gate_->fill(set, index); };
  rotation_ = std::make_unique<Rotation>(*device_, layouts, plan, has_inout(layouts), restore);
  return *rotation_;
}

// The time of a copy, over and over the same, as busy with it as with a sample.
Pace& Bench::pace() {
  if (pace_) return *pace_;
  constexpr std::size_t kLeast = std::size_t{1} << 20, kMost = std::size_t{64} << 20;
  constexpr Nanoseconds kLong = TimingLimits{}.min_batch;
  const std::size_t half = std::clamp(total_bytes(rotation().set(0).layouts()) / 2, kLeast, kMost);
  reference_ = DeviceMemory(*device_, 2 * half);
  device_->fill(reference_.data(), std::byte{1}, 2 * half, nullptr);
  const auto copies = [this, half](int count) {
    auto* first = static_cast<std::byte*>(reference_.data());
    return device_->time([&](Stream stream) {
      for (int i = 0; i < count; ++i) device_->copy(first + half, first, half, stream);
    });
  };
  (void)copies(1);  // the first touches memory
  const int count = static_cast<int>(std::clamp(kLong / std::max(copies(1).time, Nanoseconds(1)), 1.0, 1000.0));
  pace_.emplace([copies, count] { return copies(count).time; },
                [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); },
                [this] { return device_->clock_mhz(); });
  return *pace_;
}

void Bench::time(Trial& trial, LoadedPlan& plan, const TimingLimits& limits) {
  const TimedVariant variant(plan, *device_, kernel_, problem_, trial.config, rotation(), gate_->scalars());
  Timer timer(*device_, rotation(), limits, steady_clock());
  const PacedSamples cold = take_paced(pace(), [&] { return timer.cold(variant.launch()); });
  const PacedSamples warm = take_paced(pace(), [&] { return timer.warm(variant.launch()); });
  trial.samples = {cold.ns, warm.ns};
  trial.pace = {cold.pace, warm.pace};
  trial.clocks = {cold.clock, warm.clock};
  trial.is_steady = cold.is_steady && warm.is_steady;
}

std::vector<CaughtFault> Bench::self_test(const Config& config, const PhaseListener& phase) {
  Compilation compilation = compile_config(kernel_, problem_, device_->target(), config, *compiler_, phase);
  const std::string what = "the variant that faults were to be planted in, " + to_string(config) + ", ";
  if (!compilation.code) throw failed(what + to_string(compilation.trial.outcome) + ": " + compilation.trial.detail);
  phase("self-test");
  try {
    LoadedPlan plan(*device_, *compilation.code, compilation.plan);
    return gate_->self_test(plan, config);
  } catch (const LaunchFailure& failure) {
    throw failed(what + "does not launch: " + failure.what());
  } catch (const KernelFault& fault) {
    throw failed(what + "is wrong itself: " + fault.what());
  }
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
