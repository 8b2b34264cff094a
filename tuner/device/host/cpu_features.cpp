#include "device/host/cpu_features.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

namespace hiptune::host {
namespace {

// x86; Arm, whose CPUs have no name beside the numbers; RISC-V; s390 and others.
constexpr std::array<std::string_view, 6> kKeys{"flags", "Features", "CPU implementer", "CPU part", "isa", "features"};

std::string key_of(const std::string& line) {
  const auto end = line.substr(0, line.find(':')).find_last_not_of(" \t");
  return end == std::string::npos ? "" : line.substr(0, end + 1);
}

}  // namespace

std::string cpu_features() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return cpu_features(cpuinfo);
}

std::string cpu_features(std::istream& cpuinfo) {
  std::set<std::string> words;
  for (std::string line; std::getline(cpuinfo, line) && !(line.empty() && !words.empty());) {
    const auto key = key_of(line);
    if (line.find(':') == std::string::npos || std::ranges::count(kKeys, key) == 0) continue;
    std::istringstream values(line.substr(line.find(':') + 1));
    for (std::istream_iterator<std::string> word(values), end; word != end; ++word) words.insert(key + "=" + *word);
  }
  std::string text;
  for (const auto& word : words) text += word + "\n";
  return text;
}

}  // namespace hiptune::host
