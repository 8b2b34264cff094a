#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/backends.hpp"
#include "device/module_build.hpp"

// A GPU backend is two shared libraries beside libhiptune, libhiptune_NAME.so for the device and
// libhiptune_NAME_compiler.so, that link their vendor's libraries in the ordinary way and are loaded when first asked
// for. So one build starts on any machine, and a machine that only launches needs no compiler library.
namespace hiptune {

// What a device module's `hiptune_device_module` returns.
struct DeviceModule {
  std::vector<std::string> (*devices)(const DeviceSettings&, std::string& reason);
  std::unique_ptr<Device> (*open)(std::string_view options, const DeviceSettings&);
};

// What a compiler module's `hiptune_compiler_module` returns.
struct CompilerModule {
  std::unique_ptr<Compiler> (*open)(const DeviceSettings&);
};

// The exported functions. They never throw; null: `build` is not kModuleBuild of this module.
using DeviceModuleFunction = const DeviceModule* (*)(const char* build) noexcept;
using CompilerModuleFunction = const CompilerModule* (*)(const char* build) noexcept;

// The row of a backend that lives in modules. `vendor_software`: what has the libraries that they need, such as "ROCm".
[[nodiscard]] Backend backend_of_modules(const std::string& name, const std::string& architecture_prefix,
                                         const std::string& vendor_software);

}  // namespace hiptune
