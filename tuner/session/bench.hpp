#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gate/gate.hpp"
#include "measure/finals.hpp"
#include "measure/pace.hpp"
#include "session/compilation.hpp"

namespace hiptune {

// The phase in which a finalist is compiled and checked.
[[nodiscard]] std::string finals_phase(const Config& config);

struct Finalist;

// What a bench checks against.
enum class GateDepth {
  all_cases,    // everything that the gate has
  tuned_shape,  // one set of inputs at the tuned shape: finalists, which passed all the rest before, and the yardstick
};

struct FinalsFailure {
  Outcome outcome;
  std::string why;
};

// Finals in one process: what it measured, and which finalists turned out wrong after all, by their index.
struct FinalsReport {
  std::vector<Round> rounds;
  std::map<std::size_t, FinalsFailure> failures;
};

struct FinalsRequest {
  std::vector<Config> configs;
  Objective objective = Objective::cold;
  TimingLimits timing;
  FinalsLimits limits;
  std::uint64_t seed = 0;  // of the order in each round
};

// One kernel and problem set up on one device in this process: the oracle's results, the gate, and the buffers that
// all variants are timed over. For one thread.
class Bench {
 public:
  // Draws inputs and computes the oracle's outputs. Throws Error(bad_input) when the problem does not fit the memory.
  Bench(Kernel kernel, const Problem& problem, Device& device, Compiler& compiler, Device& host,
        Compiler& host_compiler, std::uint64_t seed, GateDepth depth = GateDepth::all_cases);

  // Compile, gate, and where `limits` are given time and gate again. Everything the variant does wrong, short of
  // killing the process, ends up in the trial.
  [[nodiscard]] Trial run(const Config& config, const std::optional<TimingLimits>& limits, const PhaseListener& phase);

  // Compiles, checks and warms up the finalists, then times them round by round, and checks them again. A finalist that
  // fails any of it is in the report's failures.
  [[nodiscard]] FinalsReport finals(const FinalsRequest& request, const PhaseListener& phase);

  // Plants faults into the results of a right variant: does the gate catch each? Throws Error(failed) when the variant
  // itself does not compile, or is wrong.
  [[nodiscard]] std::vector<CaughtFault> self_test(const Config& config, const PhaseListener& phase);

  // The device's own copy of `bytes / 2` from one buffer to another, over a rotation of its own.
  [[nodiscard]] static Samples time_device_copy(Device& device, std::size_t bytes, const TimingLimits& limits);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  void gate_and_time(Trial& trial, LoadedPlan& plan, const std::optional<TimingLimits>& limits,
                     const PhaseListener& phase);
  void time(Trial& trial, LoadedPlan& plan, const TimingLimits& limits);
  [[nodiscard]] std::unique_ptr<Finalist> make_finalist(const Config& config, const FinalsRequest& request,
                                                        Timer& timer);
  [[nodiscard]] Rotation& rotation();
  [[nodiscard]] Pace& pace();

  Kernel kernel_;
  Problem problem_;
  Device* device_;
  Compiler* compiler_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<Rotation> rotation_;  // made when the first variant is timed
  DeviceMemory reference_;              // what a copy of tells the pace
  std::optional<Pace> pace_;            // likewise
};

}  // namespace hiptune
