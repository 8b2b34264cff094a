#include <cstring>

#include "device/backend_module.hpp"
#include "gpu/device.hpp"

extern "C" __attribute__((visibility("default"))) const hiptune::DeviceModule* hiptune_device_module(
    const char* build) noexcept {
  static const hiptune::DeviceModule module{
      [](const hiptune::DeviceSettings&, std::string& reason) { return hiptune::gpu::device_ids(reason); },
      [](std::string_view options, const hiptune::DeviceSettings&) { return hiptune::gpu::open_device(options); }};
  return std::strcmp(build, hiptune::kModuleBuild) == 0 ? &module : nullptr;
}
