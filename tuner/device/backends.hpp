#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// Paths and programs that devices and compilers need; filled in by main.
struct DeviceSettings {
  std::string cxx_compiler = "c++";  // the host backend's compiler, looked up on PATH
  std::string temporary_directory = "/tmp";
};

// One row of the backend list. A new backend is one more row in backends.cpp.
struct Backend {
  std::string name;
  // Ids of the devices there are ("host", "host:wave64"); empty, with a reason, when the backend is not available.
  std::vector<std::string> (*devices)(const DeviceSettings&, std::string& reason);
  // `options` is what follows "NAME:" in an id. Throws Error(bad_input) for options it does not know and
  // Error(unavailable) when the device is not there.
  std::unique_ptr<Device> (*open)(std::string_view options, const DeviceSettings&);
  std::unique_ptr<Compiler> (*compiler)(const DeviceSettings&);
};

// In the order in which "auto" tries them: GPUs before the CPU.
[[nodiscard]] const std::vector<Backend>& backends();

// `id` is "auto", "host", "host:wave64", … Throws Error(unavailable) naming the devices there are.
[[nodiscard]] std::unique_ptr<Device> open_device(std::string_view id, const DeviceSettings& settings);
// The compiler for a device's backend ("host"). Throws Error(unavailable).
[[nodiscard]] std::unique_ptr<Compiler> open_compiler(std::string_view backend, const DeviceSettings& settings);

}  // namespace hiptune
