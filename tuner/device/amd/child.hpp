#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace hiptune::amd {

// What became of an action in a child of this process.
struct ChildEnd {
  bool succeeded = false;
  bool in_time = true;
  std::string words;  // how it ended and what it wrote, on one line
};
// Runs `action` in a forked child, which then ends; true is success. Whatever it writes is caught. A child that lives
// longer than `deadline` is killed.
[[nodiscard]] ChildEnd run_in_child(const std::function<bool()>& action, std::chrono::milliseconds deadline);

}  // namespace hiptune::amd
