#pragma once

#include <memory>
#include <string>

#include "cache/code_store.hpp"
#include "device/compiler.hpp"

namespace hiptune {

// A compiler that takes from a store what was compiled before, by whichever process, and puts there what it compiles.
// Everything that reaches the compiler is part of the key, so that what problems of a sweep share is compiled once.
// Failures are not stored.
class StoredCompiler : public Compiler {
 public:
  // `machine`: what else its code depends on, as the CPU's features; see CodeStore::key_of. `build`: of hiptune itself,
  // which passes options that no request holds.
  StoredCompiler(std::unique_ptr<Compiler> compiler, CodeStore store, std::string machine, std::string build);

  [[nodiscard]] std::string version() const override { return compiler_->version(); }
  [[nodiscard]] TargetFacts facts(const std::string& architecture) override { return compiler_->facts(architecture); }
  // A damaged entry is compiled again and mended; a store that cannot be written is logged.
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override;

 private:
  std::unique_ptr<Compiler> compiler_;
  CodeStore store_;
  std::string machine_, build_;
};

// Of the program and those libraries of hiptune that are loaded now: another after each build.
[[nodiscard]] std::string loaded_build();

}  // namespace hiptune
