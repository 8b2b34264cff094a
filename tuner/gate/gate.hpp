#pragma once

#include <memory>
#include <vector>

#include "device/loaded_plan.hpp"
#include "gate/judge.hpp"
#include "gate/planted_faults.hpp"

namespace hiptune {

// Where a case's results are compared with the oracle's: read back, or on the device that holds them.
enum class Judged { on_host, on_device };

// In what other orders of blocks and threads a case is run again.
enum class Repeats {
  one_order,    // backward or shuffled, by the case
  every_order,  // backward and shuffled
};

// The correctness gate of one kernel on one device: each variant must reproduce the oracle in every case. Outputs and
// workspaces are poisoned before each run; guards, gaps and inputs must come back unmodified; a second run under
// another schedule must agree bit for bit. For one thread at a time.
class Gate {
 public:
  // `compiler` builds for the device; both must outlive the gate. Throws Error(failed) when the kernels that compare on
  // the device do not compile.
  Gate(const Kernel& kernel, Device& device, Compiler& compiler, Repeats repeats = Repeats::one_order);

  // Cases at the tuned shape come first, and there is one. Cases that are judged on the device move there, as far as
  // they leave most of its memory free.
  void add(GateCase gate_case, Judged judged);

  // All cases that the configuration is valid for, the smallest first, rows far apart last, and until one fails: there
  // an access far outside still lands in a guard, where at a large shape it would take the process down. `plan` is left
  // planned for the last case. Throws LaunchFailure. A KernelFault is a failure in the report.
  [[nodiscard]] GateReport check(LoadedPlan& plan, const Config& config);
  // The first case only: run again after timing.
  [[nodiscard]] GateReport recheck(LoadedPlan& plan, const Config& config);

  // Plants each fault that there is a place for into the results of a variant, which itself must be right, on a case
  // compared on the device and on one compared on the host. Throws KernelFault when the variant is wrong.
  [[nodiscard]] std::vector<CaughtFault> self_test(LoadedPlan& plan, const Config& config,
                                                   const std::vector<PlantedFault>& faults = planted_faults());

  // Whether one of the cases has rows 2^31 elements apart, and the device room for it.
  [[nodiscard]] bool runs_far_rows() const;
  [[nodiscard]] std::size_t size() const { return cases_.size(); }
  // The scalars of the first case, and the inputs of the cases at the tuned shape in turn: what is timed.
  [[nodiscard]] const std::vector<double>& scalars() const { return cases_.front()->data.scalars; }
  void fill(const BufferSet& set, std::size_t index);

 private:
  struct HeldCase {
    GateCase data;  // without images and oracle where they are resident
    Judged judged;
    std::unique_ptr<ResidentImages> resident;
  };
  [[nodiscard]] bool can_run(const GateCase& gate_case) const;
  [[nodiscard]] std::unique_ptr<Judge> judge_of(const HeldCase& held, const Limit& limit,
                                                std::unique_ptr<ResidentImages>& visiting) const;
  // None: there is no place for the fault, or no memory for rows far apart.
  [[nodiscard]] std::optional<GateReport> check_case(LoadedPlan& plan, const Config& config, std::size_t index,
                                                     const PlantedFault* fault);
  [[nodiscard]] std::vector<std::size_t> self_test_cases(const Config& config) const;
  void make_resident(HeldCase& held);

  const Kernel* kernel_;
  Device* device_;
  Compiler* compiler_;
  Repeats repeats_;
  std::unique_ptr<DeviceChecker> checker_;  // made with the first case that it judges
  std::vector<std::unique_ptr<HeldCase>> cases_;
  std::size_t resident_bytes_ = 0;
};

}  // namespace hiptune
