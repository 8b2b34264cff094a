#include "device/host/clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace hiptune::host {
namespace {

namespace fs = std::filesystem;

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double value) {
    if (value > 0) sum += value, ++count;
  }
  [[nodiscard]] std::optional<double> value() const { return count > 0 ? std::optional(sum / count) : std::nullopt; }
};

// The number after the colon; 0 without one.
double value_of(const std::string& line) {
  const std::size_t colon = line.find(':');
  return colon == std::string::npos ? 0 : std::strtod(line.c_str() + colon + 1, nullptr);
}

}  // namespace

std::optional<double> listed_clock_mhz(std::string_view cpuinfo, std::span<const int> cores) {
  Mean mean;
  bool is_among = false;
  std::istringstream in{std::string(cpuinfo)};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("processor")) is_among = std::ranges::count(cores, static_cast<int>(value_of(line))) > 0;
    if (line.starts_with("cpu MHz") && is_among) mean.add(value_of(line));
  }
  return mean.value();
}

std::optional<double> driver_clock_mhz(const fs::path& cpus, std::span<const int> cores) {
  Mean mean;
  for (const int core : cores) {
    double kilohertz = 0;
    std::ifstream(cpus / ("cpu" + std::to_string(core)) / "cpufreq" / "scaling_cur_freq") >> kilohertz;
    mean.add(kilohertz / 1e3);
  }
  return mean.value();
}

// Where both exist they say the same, but the list takes one look at all cores, and the driver's files of Linux before
// 5.18 up to 10 ms for each.
std::optional<double> clock_mhz(std::span<const int> cores) {
  std::ostringstream cpuinfo;
  cpuinfo << std::ifstream("/proc/cpuinfo").rdbuf();
  if (const std::optional<double> listed = listed_clock_mhz(cpuinfo.str(), cores)) return listed;
  return driver_clock_mhz("/sys/devices/system/cpu", cores);
}

}  // namespace hiptune::host
