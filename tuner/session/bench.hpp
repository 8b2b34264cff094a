#pragma once

#include <memory>
#include <string>

#include "gate/gate.hpp"
#include "session/compilation.hpp"

namespace hiptune {

// One kernel and problem set up on one device in this process: the oracle's results, the gate, and the buffers that
// all variants are timed over. For one thread.
class Bench {
 public:
  // Draws inputs and computes the oracle's outputs. Throws Error(bad_input) when the problem does not fit the memory.
  Bench(Kernel kernel, const Problem& problem, Device& device, Compiler& compiler, Device& host,
        Compiler& host_compiler, std::uint64_t seed);

  // Compile, gate, and where `limits` are given time and gate again. Everything the variant does wrong, short of
  // killing the process, ends up in the trial.
  [[nodiscard]] Trial run(const Config& config, const std::optional<TimingLimits>& limits, const PhaseListener& phase);

  // The device's own copy of `bytes / 2` from one buffer to another, over a rotation of its own.
  [[nodiscard]] static Samples time_device_copy(Device& device, std::size_t bytes, const TimingLimits& limits);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  void gate_and_time(Trial& trial, LoadedPlan& plan, const std::optional<TimingLimits>& limits,
                     const PhaseListener& phase);
  [[nodiscard]] Samples time(LoadedPlan& plan, const Config& config, const TimingLimits& limits);
  [[nodiscard]] Rotation& rotation();

  Kernel kernel_;
  Problem problem_;
  Device* device_;
  Compiler* compiler_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<Rotation> rotation_;  // made when the first variant is timed
};

}  // namespace hiptune
