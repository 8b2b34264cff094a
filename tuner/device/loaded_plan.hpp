#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// A variant on a device: its code object loaded, its launches ready. Unloads when destroyed.
class LoadedPlan {
 public:
  // Throws Error(failed) when the code object does not load or lacks an entry point.
  LoadedPlan(Device& device, const CodeObject& code, const Plan& plan);

  // Every launch of the plan for these batch dimensions, in order, on the stream. Hot: allocates nothing. Throws what
  // Device::launch throws. Any thread.
  void launch(std::span<const std::int64_t> batch_values, void* const* arguments, Stream stream) const;

  // The same code with another geometry: another shape, or another limit of looping grids.
  void replan(const Plan& plan);

 private:
  struct Launch {
    Function function;
    LaunchPlan plan;
  };
  Device* device_;
  std::unique_ptr<Module> module_;
  std::vector<Launch> launches_;
};

}  // namespace hiptune
