#include "device/host/cpu.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

namespace hiptune::host {

namespace {

namespace fs = std::filesystem;

utsname system_name() {
  utsname names{};
  uname(&names);
  return names;
}

// The text after `key`, a colon and blanks, of the first such line.
std::optional<std::string> field(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return std::nullopt;
}

// An unlimited control group says "max", which is no number.
std::optional<std::int64_t> read_number(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::int64_t meminfo_bytes() {
  const std::optional<std::string> kilobytes = field("/proc/meminfo", "MemAvailable");
  if (kilobytes) return std::stoll(*kilobytes) * 1024;
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

// The lowest limit on the way from this process's group to the root of the unified hierarchy.
std::int64_t control_group_bytes() {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  const std::string group = field("/proc/self/cgroup", "0:").value_or(":/").substr(1);
  for (fs::path path = group; !path.empty(); path = path.parent_path()) {
    const fs::path limit = fs::path("/sys/fs/cgroup") / path.relative_path() / "memory.max";
    lowest = std::min(lowest, read_number(limit).value_or(lowest));
    if (path == path.root_path()) break;
  }
  return lowest;
}

}  // namespace

std::string machine() { return system_name().machine; }

std::string kernel_release() {
  const utsname names = system_name();
  return std::string(names.sysname) + " " + names.release;
}

std::string cpu_name() { return field("/proc/cpuinfo", "model name").value_or(machine()); }

int usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<int> usable_core_numbers() {
  std::vector<int> numbers;
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &cores)) numbers.push_back(i);
  return numbers;
}

std::int64_t last_level_cache_bytes() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const long bytes = sysconf(level); bytes > 0) return bytes;
  std::int64_t largest = 0;
  for (int index = 0; index < 5; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    largest = std::max(largest, read_number(folder + "/size").value_or(0) * 1024);
  }
  return largest;
}

std::int64_t available_memory_bytes() { return std::min(meminfo_bytes(), control_group_bytes()); }

}  // namespace hiptune::host
