#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace hiptune::host {

// What the CPU is by itself.
[[nodiscard]] TargetFacts facts_of(int wave_size);

// How a CPU device differs from the one that is opened by its id.
struct HostSettings {
  // May be those of a GPU, so that variants made for it run here; a cluster of several blocks is a LaunchFailure.
  TargetFacts facts = facts_of(32);
  // Kernels report every access of memory, and watch() says which are allowed: at first none but of LDS. Needs modules
  // compiled for it. Launches allocate.
  bool watched = false;
  Pages pages = Pages::none;
  std::optional<int> workers{};  // OS threads; none: one per core. A watched device has one
  std::string temporary_directory = "/tmp";
};

}  // namespace hiptune::host
