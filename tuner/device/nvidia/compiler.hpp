#pragma once

#include <mutex>
#include <set>
#include <string>

#include "device/compiler.hpp"

namespace hiptune::nvidia {

// Builds HIP sources for NVIDIA GPUs with NVRTC, in memory.
class NvrtcCompiler final : public Compiler {
 public:
  [[nodiscard]] std::string version() const override;
  // An architecture is known when an empty kernel compiles for it.
  [[nodiscard]] TargetFacts facts(const std::string& architecture) override;
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override;

 private:
  std::mutex mutex_;
  std::set<std::string> known_;  // architectures
};

}  // namespace hiptune::nvidia
