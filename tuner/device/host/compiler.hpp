#pragma once

#include <mutex>
#include <string>

#include "device/backends.hpp"

namespace hiptune::host {

// How this machine's architectures begin: "x86_64-wave".
[[nodiscard]] std::string architecture_prefix();
// The architecture of a wave size on this machine: "x86_64-wave32".
[[nodiscard]] std::string architecture(int wave_size);

// Builds kernels with the system's C++ compiler.
class HostCompiler final : public Compiler {
 public:
  explicit HostCompiler(DeviceSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] TargetFacts facts(const std::string& architecture) override;
  // Throws Error(bad_input) for an architecture other than this machine's.
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override;

 private:
  DeviceSettings settings_;
  mutable std::mutex mutex_;
  mutable std::string version_;  // empty until asked for
};

}  // namespace hiptune::host
