#pragma once

#include <functional>
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
  // How the names of the architectures that its compiler builds for begin: "gfx".
  std::string architecture_prefix;
  // Ids of the devices there are ("amd:0", "host:wave64"); empty, with a reason, when the backend is not available.
  std::function<std::vector<std::string>(const DeviceSettings&, std::string& reason)> devices;
  // `options` is what follows "NAME:" in an id. Throws Error(bad_input) for options it does not know and
  // Error(unavailable) when the device is not there.
  std::function<std::unique_ptr<Device>(std::string_view options, const DeviceSettings&)> open;
  std::function<std::unique_ptr<Compiler>(const DeviceSettings&)> compiler;
};

// In the order in which "auto" tries them: GPUs before the CPU.
[[nodiscard]] const std::vector<Backend>& backends();

// How the devices of a backend are listed, and the reason where there are none: in this process or in another.
using DeviceLister = std::function<std::vector<std::string>(const Backend&, std::string& reason)>;
// What "auto" stands for: the first device of the first backend that has any. Throws Error(unavailable) with each
// backend's reason.
[[nodiscard]] std::string first_available(const DeviceLister& devices);

// `id` is "auto", "amd:0", "host:wave64", … Throws Error(unavailable) naming the devices there are.
[[nodiscard]] std::unique_ptr<Device> open_device(std::string_view id, const DeviceSettings& settings);
// The compiler for a device's backend ("host"). Throws Error(unavailable).
[[nodiscard]] std::unique_ptr<Compiler> open_compiler(std::string_view backend, const DeviceSettings& settings);
// The backend whose compiler builds for an architecture ("gfx90a" -> "amd"). Throws Error(bad_input) for a name that
// none claims.
[[nodiscard]] const Backend& backend_for_architecture(std::string_view architecture);

}  // namespace hiptune
