#include "device/backend_module.hpp"

#include <dlfcn.h>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

// A backend's two files are told apart by what follows its name.
struct ModuleFile {
  std::string backend;
  std::string vendor_software;
  std::string suffix;  // of the compiler's "_compiler"

  [[nodiscard]] std::string name() const { return "libhiptune_" + backend + suffix + ".so"; }
};

Error of_another_build(const ModuleFile& file) {
  return unavailable(file.name() + " belongs to another build of hiptune; install both anew");
}

// The loader's words, "FILE: cannot open shared object file: No such file or directory", in those of a user: FILE is
// the module itself, or a library that it needs, directly or not.
Error cannot_load(const ModuleFile& file, const std::string& words) {
  const std::string missing = ": cannot open shared object file: No such file or directory";
  if (words == file.name() + missing)
    return unavailable("hiptune was built without the " + file.backend + " backend (there is no " + file.name() +
                       " beside libhiptune); build it where the " + file.vendor_software + " is installed");
  const std::string mend = "install that " + file.vendor_software + ", or build hiptune with the one that is there";
  if (words.ends_with(missing))
    return unavailable(file.name() + " needs " + words.substr(0, words.size() - missing.size()) +
                       ", which is not installed; " + mend);
  // One of libhiptune's own functions: names of namespace hiptune have this in them.
  if (words.find("undefined symbol: ") != std::string::npos && words.find("7hiptune") != std::string::npos)
    return of_another_build(file);
  return unavailable(file.name() + " does not load (" + words + "); " + mend);
}

// Loads a module and keeps it: objects of its classes may live until the process ends.
template <class Function>
auto* load_module(const ModuleFile& file, const char* symbol) {
  void* library = ::dlopen(file.name().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw cannot_load(file, ::dlerror());
  auto* function = reinterpret_cast<Function>(::dlsym(library, symbol));
  auto* module = function == nullptr ? nullptr : function(kModuleBuild);
  if (module == nullptr) throw of_another_build(file);
  return module;
}

}  // namespace

Backend backend_of_modules(const std::string& name, const std::string& architecture_prefix,
                           const std::string& vendor_software) {
  const auto device_module = [file = ModuleFile{name, vendor_software, ""}] {
    return load_module<DeviceModuleFunction>(file, "hiptune_device_module");
  };
  Backend backend{name, architecture_prefix, {}, {}, {}};
  backend.devices = [device_module](const DeviceSettings& settings, std::string& reason) {
    try {
      return device_module()->devices(settings, reason);
    } catch (const Error& error) {
      reason = error.what();
    } catch (const DeviceLost& error) {
      reason = error.what();
    }
    return std::vector<std::string>();
  };
  backend.open = [device_module](std::string_view options, const DeviceSettings& settings) {
    return device_module()->open(options, settings);
  };
  backend.compiler = [file = ModuleFile{name, vendor_software, "_compiler"}](const DeviceSettings& settings) {
    return load_module<CompilerModuleFunction>(file, "hiptune_compiler_module")->open(settings);
  };
  return backend;
}

}  // namespace hiptune
