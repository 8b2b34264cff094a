#include "device/host/fault.hpp"

#include <stdexcept>

namespace hiptune::host {

namespace {

std::string describe(const Fault& fault) {
  const std::string first = "thread " + std::to_string(fault.first);
  const std::string second = "thread " + std::to_string(fault.second);
  const std::string first_line = " at line " + std::to_string(fault.first_line);
  const std::string second_line = " at line " + std::to_string(fault.second_line);
  switch (fault.kind) {
    case Fault::Kind::barrier_lines:
      return "divergent barrier: " + first + " waits" + first_line + ", " + second + second_line;
    case Fault::Kind::barrier_returned:
      return "divergent barrier: " + first + " waits" + first_line + ", " + second + " returned";
    case Fault::Kind::shuffle_lines:
      return "divergent shuffle: " + first + " waits" + first_line + ", " + second + " of its wave" + second_line;
    case Fault::Kind::shuffle_barrier:
      return "divergent shuffle: " + first + " waits" + first_line + " for " + second +
             " of its wave, which waits at the barrier of line " + std::to_string(fault.second_line);
    case Fault::Kind::lds_overrun:
      return "LDS overrun: a block wrote byte " + std::to_string(fault.second) + ", and the plan's dynamic_lds is " +
             std::to_string(fault.first) + " bytes";
    case Fault::Kind::violation:
      break;
  }
  throw std::logic_error("a fault that has no text here");
}

}  // namespace

std::string to_string(const Fault& fault, const std::string& entry) {
  if (fault.kind == Fault::Kind::lds_overrun) return describe(fault) + " (" + entry + ")";
  return describe(fault) + " (" + entry + ", block " + std::to_string(fault.block) + ")";
}

}  // namespace hiptune::host
