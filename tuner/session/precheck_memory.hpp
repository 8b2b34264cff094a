#pragma once

#include <filesystem>
#include <string>

#include "device/target.hpp"
#include "problem/config.hpp"
#include "problem/kernel.hpp"
#include "problem/problem.hpp"

namespace hiptune {

// Which configurations passed the precheck before, so that tuning again need not repeat it: a file for each in a folder
// of the cache. It may be deleted at any time. Several processes may use it at once.
class PrecheckMemory {
 public:
  explicit PrecheckMemory(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // What a verdict depends on: the kernel's fingerprints, what of the problem small shapes have, the configuration, the
  // target's facts, and the compiler of the CPU with which it was checked.
  [[nodiscard]] static std::string key_of(const Kernel& kernel, const Problem& problem, const Config& config,
                                          const Target& target, const std::string& host_compiler);

  [[nodiscard]] bool has_passed(const std::string& key) const;
  // A folder that cannot be written is no error: it is checked again then.
  void remember(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace hiptune
