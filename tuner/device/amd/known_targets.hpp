#pragma once

#include <set>
#include <string>

#include "amd/child.hpp"
#include "device/compiler.hpp"

namespace hiptune::amd {

// A kernel that does nothing, for an architecture.
[[nodiscard]] CompileRequest empty_kernel(const std::string& architecture);

// The architectures that hipRTC has compiled an empty kernel for, in a child: hipRTC of ROCm 5.2 ends its process on an
// architecture that it does not know. So there is no list of names and no
// test of versions, and a misspelt name is found too. Not for several threads at once.
class KnownTargets {
 public:
  // Throws Error(unavailable) naming hipRTC's version and what to do.
  void require(const std::string& architecture);

 private:
  std::set<std::string> known_;
};

}  // namespace hiptune::amd
