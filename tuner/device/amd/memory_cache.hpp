#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hiptune::amd {

// Bytes of the last cache before the memory, as the driver's topology in `nodes` lists it: RDNA and MI300 have one
// behind the L2 of which the runtime says nothing. `l2_bytes` where the topology lists the GPU without such a cache;
// 0, unknown, where it does not list the GPU.
[[nodiscard]] std::int64_t memory_cache_bytes(const std::string& pci_bus_id, std::int64_t l2_bytes,
                                              const std::filesystem::path& nodes = "/sys/class/kfd/kfd/topology/nodes");

}  // namespace hiptune::amd
