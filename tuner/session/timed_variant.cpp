#include "session/timed_variant.hpp"

namespace hiptune {

TimedVariant::TimedVariant(LoadedPlan& plan, Device& device, const Kernel& kernel, const Problem& problem,
                           const Config& config, const Rotation& rotation, const std::vector<double>& scalars)
    : plan_(&plan),
      workspaces_(device, workspace_bytes(kernel.space, problem, device.target().facts, config)),
      batch_(batch_values(kernel.space, problem)) {
  plan.replan(make_plan(kernel.space, problem, device.target().facts, config));
  for (std::size_t i = 0; i < rotation.size(); ++i) {
    const BufferSet& set = rotation.set(i);
    arguments_.emplace_back(
        kernel.space, problem,
        CallValues{set.addresses(), strides_of(kernel.space, set.layouts()), scalars, workspaces_.addresses()});
  }
}

LaunchOver TimedVariant::launch() const {
  return [this](std::size_t set, Stream stream) { plan_->launch(batch_, arguments_[set].pointers(), stream); };
}

}  // namespace hiptune
