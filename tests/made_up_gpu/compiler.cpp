#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "device/backend_module.hpp"
#include "hiptune/error.hpp"

// libhiptune_amd_compiler.so as tests load it in place of the real one: the CPU's compiler under an architecture's
// name, with made-up resources. For blocks of 64 threads the compiler for gfxaborts aborts, and that for gfxhangs never
// ends; that for gfxforks leaves a process behind when it aborts; gfxunknown it does not know.
namespace hiptune {
namespace {

bool has_blocks_of_64(const CompileRequest& request) {
  return std::ranges::any_of(request.headers, [](const SourceFile& header) {
    return header.text.find("BLOCK_SIZE = 64;") != std::string::npos;
  });
}

class MadeUpCompiler : public Compiler {
 public:
  explicit MadeUpCompiler(const DeviceSettings& settings)
      : cpu_(open_compiler("host", settings)), target_(open_device("host", settings)->target()) {}

  [[nodiscard]] std::string version() const override { return "made-up compiler 1"; }

  [[nodiscard]] TargetFacts facts(const std::string& architecture) override {
    if (architecture == "gfxunknown") throw unavailable("made-up compiler 1 does not know 'gfxunknown'");
    return target_.facts;
  }

  [[nodiscard]] CompileResult compile(const CompileRequest& request) override {
    if (request.architecture == "gfxforks" && has_blocks_of_64(request)) {
      if (::fork() == 0)
        for (;;) ::pause();
      std::abort();
    }
    if (request.architecture == "gfxaborts" && has_blocks_of_64(request)) {
      std::cerr << "LLVM ERROR: out of registers" << std::endl;
      std::abort();
    }
    while (request.architecture == "gfxhangs" && has_blocks_of_64(request)) ::pause();
    CompileRequest for_cpu = request;
    for_cpu.architecture = target_.architecture;
    CompileResult result = cpu_->compile(for_cpu);
    if (auto* code = std::get_if<CodeObject>(&result))
      std::ranges::fill(code->resources, Resources{101, std::nullopt, 1000, 0, 7});
    return result;
  }

 private:
  std::unique_ptr<Compiler> cpu_;
  Target target_;
};

}  // namespace
}  // namespace hiptune

extern "C" __attribute__((visibility("default"))) const hiptune::CompilerModule* hiptune_compiler_module(
    const char*) noexcept {
  static const hiptune::CompilerModule module{
      [](const hiptune::DeviceSettings& settings) -> std::unique_ptr<hiptune::Compiler> {
        return std::make_unique<hiptune::MadeUpCompiler>(settings);
      }};
  return &module;
}
