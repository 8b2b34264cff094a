#include "device/backend_module.hpp"

#include <dlfcn.h>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

// Loads a module and keeps it: objects of its classes may live until the process ends.
template <class Function>
auto* load_module(const std::string& file, const char* symbol) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw unavailable(::dlerror());
  auto* function = reinterpret_cast<Function>(::dlsym(library, symbol));
  auto* module = function == nullptr ? nullptr : function(kModuleBuild);
  if (module == nullptr) throw unavailable(file + " belongs to another build of hiptune; install both anew");
  return module;
}

const DeviceModule& device_module(const std::string& name) {
  return *load_module<DeviceModuleFunction>("libhiptune_" + name + ".so", "hiptune_device_module");
}

const CompilerModule& compiler_module(const std::string& name) {
  return *load_module<CompilerModuleFunction>("libhiptune_" + name + "_compiler.so", "hiptune_compiler_module");
}

}  // namespace

Backend backend_of_modules(const std::string& name, const std::string& architecture_prefix) {
  Backend backend{name, architecture_prefix, {}, {}, {}};
  backend.devices = [name](const DeviceSettings& settings, std::string& reason) {
    try {
      return device_module(name).devices(settings, reason);
    } catch (const Error& error) {
      reason = error.what();
      return std::vector<std::string>();
    }
  };
  backend.open = [name](std::string_view options, const DeviceSettings& settings) {
    return device_module(name).open(options, settings);
  };
  backend.compiler = [name](const DeviceSettings& settings) { return compiler_module(name).open(settings); };
  return backend;
}

}  // namespace hiptune
