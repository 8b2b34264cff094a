#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hiptune::amd {

// The level that is marked with a star in the driver's list of clocks, in MHz: 1700 of "0: 500Mhz\n1: 1700Mhz *\n".
[[nodiscard]] std::optional<double> active_level_mhz(std::string_view levels);

// The present shader clock, in MHz, of the GPU at a PCI address such as "0000:c1:00.0", from the driver's files: what
// its sensor says, else its active level. None where neither can be read, as in a container without /sys.
[[nodiscard]] std::optional<double> clock_mhz(std::string pci_bus_id,
                                              const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace hiptune::amd
