#include <cstring>

#include "amd/compiler.hpp"
#include "device/backend_module.hpp"

extern "C" __attribute__((visibility("default"))) const hiptune::CompilerModule* hiptune_compiler_module(
    const char* build) noexcept {
  static const hiptune::CompilerModule module{[](const hiptune::DeviceSettings&) -> std::unique_ptr<hiptune::Compiler> {
    return std::make_unique<hiptune::amd::HiprtcCompiler>();
  }};
  return std::strcmp(build, hiptune::kModuleBuild) == 0 ? &module : nullptr;
}
