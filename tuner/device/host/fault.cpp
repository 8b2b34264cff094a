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
  }
  throw std::logic_error("a fault of unknown kind");
}

}  // namespace

std::string to_string(const Fault& fault, const std::string& entry) {
  return describe(fault) + " (" + entry + ", block " + std::to_string(fault.block) + ")";
}

}  // namespace hiptune::host
