#include "device/loaded_plan.hpp"

namespace hiptune {

LoadedPlan::LoadedPlan(Device& device, const CodeObject& code, const Plan& plan)
    : device_(&device), module_(device.load(code)) {
  replan(plan);
}

void LoadedPlan::replan(const Plan& plan) {
  launches_.clear();
  for (const LaunchPlan& launch : plan.launches) launches_.push_back({module_->function(launch.entry), launch});
}

void LoadedPlan::launch(std::span<const std::int64_t> batch_values, void* const* arguments, Stream stream) const {
  for (const Launch& launch : launches_)
    device_->launch(launch.function, launch.plan.geometry(batch_values), arguments, stream);
}

}  // namespace hiptune
