#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hiptune::host {

struct ProcessResult {
  bool succeeded = false;  // exit status 0
  std::string output;      // stdout and stderr, in order
};

// Runs a program, found on PATH or by a path from this process's folder, in `folder` and waits for its end. Its
// temporary files go to `folder`, and its messages are in English. Throws Error(unavailable) when it cannot be started.
// Any thread.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace hiptune::host
