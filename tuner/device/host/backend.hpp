#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/backends.hpp"
#include "device/host/settings.hpp"

// The CPU as a device: the row of the backend list.
namespace hiptune::host {

[[nodiscard]] std::vector<std::string> devices(const DeviceSettings& settings, std::string& reason);
[[nodiscard]] std::unique_ptr<Device> open(std::string_view options, const DeviceSettings& settings);
// A device that the list does not have: watched, between pages, or with the facts of a GPU. Throws
// std::invalid_argument for a wave size other than 32 and 64, or blocks of more than 1024 threads.
[[nodiscard]] std::unique_ptr<Device> open_with(const HostSettings& settings);
[[nodiscard]] std::unique_ptr<Compiler> open_compiler(const DeviceSettings& settings);

}  // namespace hiptune::host
