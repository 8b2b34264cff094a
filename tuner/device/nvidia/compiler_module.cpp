#include <cstring>

#include "device/backend_module.hpp"
#include "nvidia/compiler.hpp"

extern "C" __attribute__((visibility("default"))) const hiptune::CompilerModule* hiptune_compiler_module(
    const char* build) noexcept {
  static const hiptune::CompilerModule module{[](const hiptune::DeviceSettings&) -> std::unique_ptr<hiptune::Compiler> {
    return std::make_unique<hiptune::nvidia::NvrtcCompiler>();
  }};
  return std::strcmp(build, hiptune::kModuleBuild) == 0 ? &module : nullptr;
}
