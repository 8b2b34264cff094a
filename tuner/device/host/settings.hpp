#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace hiptune::host {

// What the CPU is by itself.
[[nodiscard]] TargetFacts facts_of(int wave_size);

// How a CPU device differs from the one that is opened by its id.
struct HostSettings {
  // Those of a GPU that a variant was made for will do, but for clusters, which the CPU has none of.
  TargetFacts facts = facts_of(32);
  // Kernels report every access of memory, and watch() says which are allowed. Needs modules compiled for it.
  bool watched = false;
  Pages pages = Pages::none;
  std::optional<int> workers{};  // OS threads; none: one per core. A watched device has one
  std::string temporary_directory = "/tmp";
};

}  // namespace hiptune::host
