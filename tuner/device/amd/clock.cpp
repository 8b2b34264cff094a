#include "amd/clock.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>

// The files are described in the kernel's documentation, "GPU sensors and power/thermal controls" of amdgpu.
namespace hiptune::amd {
namespace {

namespace fs = std::filesystem;

std::optional<double> positive(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// In Hz. The sensor is the first one; a label says that it is the shader clock's, but for old drivers.
std::optional<double> sensor_mhz(const fs::path& sensors) {
  std::string label;
  if (std::ifstream(sensors / "freq1_label") >> label && label != "sclk") return std::nullopt;
  double hertz = 0;
  std::ifstream(sensors / "freq1_input") >> hertz;
  return positive(hertz / 1e6);
}

std::optional<double> any_sensor_mhz(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (const std::optional<double> mhz = sensor_mhz(entry->path())) return mhz;
  return std::nullopt;
}

}  // namespace

std::optional<double> active_level_mhz(std::string_view levels) {
  const std::size_t star = levels.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  const std::size_t colon = levels.rfind(':', star);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t digits = levels.find_first_of("0123456789", colon);
  double mhz = 0;
  if (digits < star) std::from_chars(levels.data() + digits, levels.data() + star, mhz);
  return positive(mhz);
}

std::optional<double> clock_mhz(std::string pci_bus_id, const fs::path& devices) {
  std::ranges::transform(pci_bus_id, pci_bus_id.begin(), [](unsigned char c) { return std::tolower(c); });
  const fs::path folder = devices / pci_bus_id;
  if (const std::optional<double> mhz = any_sensor_mhz(folder / "hwmon")) return mhz;
  return active_level_mhz(text_of(folder / "pp_dpm_sclk"));
}

}  // namespace hiptune::amd
