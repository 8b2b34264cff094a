#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace hiptune::host {

// The mean of "cpu MHz" over those processors of a /proc/cpuinfo that are among `cores`. None where it has none of
// them, or no clocks, as on ARM.
[[nodiscard]] std::optional<double> listed_clock_mhz(std::string_view cpuinfo, std::span<const int> cores);

// The mean of what the frequency driver says of each of the `cores` in its folder. None where it says nothing.
[[nodiscard]] std::optional<double> driver_clock_mhz(const std::filesystem::path& cpus, std::span<const int> cores);

// The mean present clock of the `cores`, in MHz; none where it cannot be read.
[[nodiscard]] std::optional<double> clock_mhz(std::span<const int> cores);

}  // namespace hiptune::host
