#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gate/cases.hpp"
#include "measure/timer.hpp"

namespace hiptune::origin {

// A way to compute rmsnorm at one shape, ready to launch over any set of buffers.
struct Contender {
  std::string name;
  std::string rival;  // the contender that its time is put in relation to
  Config config;      // whose tolerance it has to keep
  std::string resources;
  std::function<void(const BufferSet&, Stream)> launch;
};

// What all contenders share. Outlives them.
struct Arena {
  const Kernel& kernel;
  const Problem& problem;
  Device& device;
  const GateCase& input;  // at the problem's own shape, rows dense
};

// "origin serial" and "origin block": the cubin of the device's architecture in `folder`. Throws Error(bad_input) when
// there is none, or the shape has more elements than an int counts.
[[nodiscard]] std::vector<Contender> origin_contenders(const Arena& arena, const std::filesystem::path& folder);

// hiptune's baselines `serial` and `block`, and its fallback.
[[nodiscard]] std::vector<Contender> hiptune_contenders(const Arena& arena, Compiler& compiler);

// Launches once and compares every element with the oracle's. The largest error, 1 being the limit itself; throws
// Error(failed) when a contender is wrong.
double check(const Arena& arena, const Contender& contender);

}  // namespace hiptune::origin
