#pragma once

#include "device/compiler.hpp"

namespace hiptune::amd {

// Compiles with hipRTC. Compilations of a process follow one another: the code object manager below hipRTC holds a
// lock during each anyway.
class HiprtcCompiler final : public Compiler {
 public:
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] TargetFacts facts(const std::string& architecture) override;
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override;
};

}  // namespace hiptune::amd
