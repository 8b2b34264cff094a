#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/backends.hpp"

namespace hiptune::host {

// How this machine's architectures begin: "x86_64-wave".
[[nodiscard]] std::string architecture_prefix();
// The architecture of a wave size on this machine: "x86_64-wave32"; for a watched device, "x86_64-wave32:watched".
[[nodiscard]] std::string architecture(int wave_size, bool watched = false);

class TemporaryFolder;

// Builds kernels with the system's C++ compiler, which is looked up from this process's folder where it is a relative
// path. When a source does not compile, it first makes sure that the folder and the compiler are not to blame.
class HostCompiler final : public Compiler {
 public:
  explicit HostCompiler(DeviceSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] TargetFacts facts(const std::string& architecture) override;
  // Throws Error(bad_input) for an architecture other than this machine's.
  // Throws Error(bad_input) also when the temporary folder is full, and Error(unavailable) when the compiler cannot
  // even build a trivial shared library.
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override;

 private:
  struct Built {
    std::optional<std::vector<std::byte>> bytes;  // none: it failed
    std::string log;
  };
  [[nodiscard]] Built build(const std::string& source, const TemporaryFolder& folder, bool watched) const;
  [[nodiscard]] bool is_clang() const;
  void require_working_compiler() const;

  DeviceSettings settings_;
  mutable std::mutex mutex_;
  mutable std::string version_;  // empty until asked for
  mutable std::mutex probing_;
  mutable bool works_ = false;  // proven at the first source that did not compile
};

}  // namespace hiptune::host
