#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "device/buffer_set.hpp"
#include "device/device.hpp"
#include "gate/cases.hpp"
#include "problem/variant.hpp"

namespace hiptune {

// What a run of a case left on the device, between the launch and the verdict.
struct AfterLaunch {
  Device& device;
  const Space& space;
  const GateCase& gate_case;
  std::vector<void*> buffers;     // element [0, 0] of each, in argument order
  std::vector<void*> workspaces;  // likewise
  std::vector<std::int64_t> workspace_bytes;
  Limit limit;
  std::byte poison;  // of this run
  bool is_second_run;
};

// A fault put into the results of a right variant. It changes memory that the kernel of a real fault would have
// changed, so that all that stands between it and the cache is the gate itself.
struct PlantedFault {
  std::string name;
  std::string caught_by;  // part of what the gate must say
  bool without_launch;    // the variant does nothing
  // Returns false where it cannot be planted: there is no such place, or it would be no fault.
  std::function<bool(const AfterLaunch&)> plant;
};

[[nodiscard]] const std::vector<PlantedFault>& planted_faults();

// How the gate dealt with one of them.
struct CaughtFault {
  std::string fault;
  std::string where;   // the case
  std::string caught;  // what the gate said; empty: the fault survived, or was caught as something that it is not
};

}  // namespace hiptune
