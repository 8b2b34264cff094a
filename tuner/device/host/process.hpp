#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
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
// A program that takes longer than `deadline`, where there is one, is killed; its output is then words that say so.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                                        std::optional<std::chrono::milliseconds> deadline = std::nullopt);

}  // namespace hiptune::host
