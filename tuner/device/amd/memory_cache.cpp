#include "amd/memory_cache.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

namespace hiptune::amd {
namespace {

namespace fs = std::filesystem;

// The value of "name value" on a line of its own.
std::optional<std::int64_t> property(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  std::string key;
  std::int64_t value = 0;
  while (in >> key >> value)
    if (key == name) return value;
  return std::nullopt;
}

// "0000:c1:00.0" as the topology has it: domain, and bus << 8 | device << 3 | function.
struct Location {
  unsigned domain = 0, id = 0;
};
std::optional<Location> location_of(const std::string& pci_bus_id) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(pci_bus_id.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4) return std::nullopt;
  return Location{domain, bus << 8 | device << 3 | function};
}

bool is_at(const fs::path& node, const Location& location) {
  return property(node / "properties", "location_id") == location.id &&
         property(node / "properties", "domain").value_or(0) == location.domain;
}

// Sum over the parts of the highest level, if that is above the L2. Sizes are in KiB.
std::int64_t behind_l2(const fs::path& node) {
  std::int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(node / "caches", error), end; !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path() / "properties";
    if (property(file, "level").value_or(0) > 2) bytes += property(file, "size").value_or(0) * 1024;
  }
  return bytes;
}

}  // namespace

std::int64_t memory_cache_bytes(const std::string& pci_bus_id, std::int64_t l2_bytes, const fs::path& nodes) {
  const auto location = location_of(pci_bus_id);
  std::error_code error;
  for (fs::directory_iterator entry(nodes, error), end; location && !error && entry != end; entry.increment(error))
    if (is_at(entry->path(), *location)) return std::max(l2_bytes, behind_l2(entry->path()));
  return 0;
}

}  // namespace hiptune::amd
