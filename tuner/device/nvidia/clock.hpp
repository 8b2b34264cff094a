#pragma once

#include <optional>

namespace hiptune::nvidia {

// The present clock of the multiprocessors, in MHz, of the GPU at a PCI address such as "0000:C1:00.0". None where the
// driver's management library (NVML) is missing or does not say, as of a slice of a GPU. Any thread.
[[nodiscard]] std::optional<double> clock_mhz(const char* pci_bus_id);

}  // namespace hiptune::nvidia
