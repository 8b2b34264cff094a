#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "device/compiler.hpp"

namespace hiptune::amd {

// A kernel that does nothing, for an architecture.
[[nodiscard]] CompileRequest empty_kernel(const std::string& architecture);

// What became of an action in a child of this process.
struct ChildEnd {
  bool succeeded = false;
  bool in_time = true;
  std::string words;  // how it ended and what it wrote, on one line
};
// Runs `action` in a forked child, which then ends; true is success. Whatever it writes is caught. A child that lives
// longer than `deadline` is killed.
[[nodiscard]] ChildEnd run_in_child(const std::function<bool()>& action, std::chrono::milliseconds deadline);

// The architectures that hipRTC has compiled an empty kernel for, or not. The first time it does so in a child, because
// hipRTC of ROCm 5.2 ends its process on an architecture that it does not know. So there is no list of names and no
// test of versions, and a misspelt name is found too. Not for several threads at once.
class KnownTargets {
 public:
  // Throws Error(unavailable) naming hipRTC's version and what to do.
  void require(const std::string& architecture);

 private:
  std::map<std::string, ChildEnd> ends_;
};

}  // namespace hiptune::amd
