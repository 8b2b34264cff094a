#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/loaded_plan.hpp"
#include "gate/cases.hpp"
#include "gate/comparison.hpp"

namespace hiptune {

struct GateReport {
  std::optional<std::string> failure;  // none: passed. "rows=3 cols=13 … zeros: y[1, 2] is nan, the oracle says …"
  ErrorSummary errors;
  int checks = 0;
};

// The correctness gate of one kernel on one problem and device: each variant must reproduce the oracle in every case.
// Outputs and workspaces are poisoned before each run; guards, gaps and inputs must come back unmodified; a second run
// under another schedule must agree bit for bit. For one thread at a time.
class Gate {
 public:
  Gate(const Kernel& kernel, Device& device, std::vector<GateCase> cases);

  // All cases that the configuration is valid for, the smallest first and until one fails: there an access far outside
  // still lands in a guard, where at a large shape it would take the process down. `plan` is left planned for the last
  // case. Throws LaunchFailure. A KernelFault is a failure in the report.
  [[nodiscard]] GateReport check(LoadedPlan& plan, const Config& config) const;
  // The first case only: run again after timing.
  [[nodiscard]] GateReport recheck(LoadedPlan& plan, const Config& config) const;

  [[nodiscard]] const std::vector<GateCase>& cases() const { return cases_; }

 private:
  [[nodiscard]] GateReport check_case(LoadedPlan& plan, const Config& config, std::size_t index) const;

  const Kernel* kernel_;
  Device* device_;
  std::vector<GateCase> cases_;
  std::vector<std::size_t> order_;  // of check: indices, the smallest case first
};

// Copies whole images, guards included, to or from a set of buffers. Waits for the copies.
void upload(Device& device, const BufferSet& set, const Images& images);
[[nodiscard]] Images download(Device& device, const BufferSet& set);

}  // namespace hiptune
