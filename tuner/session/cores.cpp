#include "session/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace hiptune {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t cores_to_run_on() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // It fails on a machine with more cores than the set holds.
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

// "200000 100000": microseconds in each period, or "max".
std::optional<double> ratio_of(const std::string& quota_and_period) {
  std::istringstream stream(quota_and_period);
  double quota = 0, period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// Version 2 has one file, version 1 two; the latter's quota is -1 where there is none.
std::optional<double> quota_in(const fs::path& group) {
  if (const auto ratio = ratio_of(text_of(group / "cpu.max"))) return ratio;
  return ratio_of(text_of(group / "cpu.cfs_quota_us") + " " + text_of(group / "cpu.cfs_period_us"));
}

// A limit holds for the groups within, too.
std::optional<double> least_quota(const fs::path& root, fs::path group) {
  std::optional<double> least = quota_in(root);
  for (; group.has_relative_path(); group = group.parent_path()) {
    const auto quota = quota_in(root / group.relative_path());
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

}  // namespace

std::optional<double> quota_of_groups(const std::string& groups, const fs::path& root) {
  std::istringstream lines(groups);
  std::optional<double> least;
  for (std::string line; std::getline(lines, line);) {  // "0::/a/b", or "4:cpu,cpuacct:/a/b"
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const bool limits_cpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!controllers.empty() && !limits_cpu) continue;
    for (const fs::path& base : {root, root / controllers, root / "cpu"}) {
      const auto quota = least_quota(base, path);
      if (quota && (!least || *quota < *least)) least = quota;
    }
  }
  return least;
}

std::size_t usable_cores() {
  const std::size_t cores = cores_to_run_on();
  const auto quota = quota_of_groups(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  return std::max<std::size_t>(1, quota ? std::min(cores, static_cast<std::size_t>(std::ceil(*quota))) : cores);
}

}  // namespace hiptune
