#pragma once

#include <vector>

#include "device/buffer_set.hpp"
#include "device/loaded_plan.hpp"
#include "measure/timer.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// A loaded variant, planned for a problem and ready to be launched over every set of a rotation. `plan` and `rotation`
// must outlive it, and nobody may replan meanwhile.
class TimedVariant {
 public:
  TimedVariant(LoadedPlan& plan, Device& device, const Kernel& kernel, const Problem& problem, const Config& config,
               const Rotation& rotation, const std::vector<double>& scalars);
  [[nodiscard]] LaunchOver launch() const;

 private:
  LoadedPlan* plan_;
  WorkspaceSet workspaces_;
  std::vector<std::int64_t> batch_;
  mutable std::vector<ArgumentList> arguments_;  // per set
};

}  // namespace hiptune
