#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/backends.hpp"

// The CPU as a device: the row of the backend list.
namespace hiptune::host {

[[nodiscard]] std::vector<std::string> devices(const DeviceSettings& settings, std::string& reason);
[[nodiscard]] std::unique_ptr<Device> open(std::string_view options, const DeviceSettings& settings);
[[nodiscard]] std::unique_ptr<Compiler> open_compiler(const DeviceSettings& settings);

}  // namespace hiptune::host
