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

// Finals in one process: what it measured, and which finalists turned out wrong after all, by their index: the
// request's configurations, its copies, and last, where there are copies, the device's own copy.
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
  // Configurations of the copy kernel that was prepared beside; given, if empty, the device's own copy takes part, too.
  std::optional<std::vector<Config>> copies = std::nullopt;

  [[nodiscard]] std::size_t finalists() const { return configs.size() + (copies ? copies->size() + 1 : 0); }
};

// The phase in which a finalist is compiled and checked.
[[nodiscard]] std::string finals_phase(const FinalsRequest& request, std::size_t finalist);

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
  // fails any of it is in the report's failures. `copies`: of the copy kernel, where the request has copies.
  [[nodiscard]] FinalsReport finals(const FinalsRequest& request, const PhaseListener& phase, Bench* copies = nullptr);

  // For those that are timed over this bench's buffers: one for all of them, so that the next goes on where the last
  // ended.
  [[nodiscard]] Timer timer(const TimingLimits& limits);
  // Compiles, checks and warms up. Throws Error where it does not compile or load, LaunchFailure, or KernelFault where
  // it is wrong. The bench and the timer must outlive it.
  [[nodiscard]] std::unique_ptr<Finalist> make_finalist(const Config& config, Objective objective, Timer& timer);
  // The device's own copy from the first buffer to the second, of the copy kernel's bench.
  [[nodiscard]] std::unique_ptr<Finalist> make_copying_finalist(Objective objective, Timer& timer);

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
  void check_finalist(Finalist& finalist);
  [[nodiscard]] double gate_bytes() const;
  [[nodiscard]] double rotation_bytes() const;
  [[nodiscard]] Rotation& rotation();
  [[nodiscard]] Pace& pace();

  Kernel kernel_;
  Problem problem_;
  Device* device_;
  Compiler* compiler_;
  GateDepth depth_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<Rotation> rotation_;  // made when the first variant is timed
  DeviceMemory reference_;              // what a copy of tells the pace
  std::optional<Pace> pace_;            // likewise
  double bytes_of_others_ = 0;          // of the device's memory: what a bench beside this one takes
};

}  // namespace hiptune
