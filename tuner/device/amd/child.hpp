#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace hiptune::amd {

// What became of an action in a child of this process.
struct ChildEnd {
  std::optional<std::string> result;  // none: it failed
  bool in_time = true;
  std::string words;  // how it ended and what it wrote, on one line
};
// Runs `action` in a forked child, which then ends, and hands its result over; an exception is a failure. Whatever it
// writes is caught. A child that lives longer than `deadline` is killed. Any thread.
[[nodiscard]] ChildEnd run_in_child(const std::function<std::string()>& action, std::chrono::milliseconds deadline);

}  // namespace hiptune::amd
