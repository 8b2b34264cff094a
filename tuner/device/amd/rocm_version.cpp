#include "amd/rocm_version.hpp"

#include <hip/hip_runtime_api.h>

#include "gpu/check.hpp"

// ROCm 6 gave hipDeviceProp_t another layout and hipGetDeviceProperties another symbol behind the same name, so that a
// module must be built with the headers of the library that it loads; the library's soname sees to that. ROCm 7 removed
// members of hipDeviceProp_t that are not used here.
namespace hiptune::amd {

Properties properties_of(int device) {
  hipDeviceProp_t given{};
  HIPTUNE_CALL(hipGetDeviceProperties(&given, device));
  std::array<char, 64> bus_id{};
  HIPTUNE_CALL(hipDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device));
  Properties properties;
  properties.name = given.name;
  properties.architecture = given.gcnArchName;
  properties.pci_bus_id = bus_id.data();
  properties.wave_size = given.warpSize;
  properties.compute_units = given.multiProcessorCount;
  properties.max_block_threads = given.maxThreadsPerBlock;
  properties.lds_bytes = static_cast<std::int64_t>(given.sharedMemPerBlock);
  for (std::size_t i = 0; i < 3; ++i) properties.max_grid[i] = given.maxGridSize[i];
  properties.l2_bytes = given.l2CacheSize;
  return properties;
}

std::string runtime_version() {
  int version = 0;
  HIPTUNE_CALL(hipRuntimeGetVersion(&version));
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100) + "." +
         std::to_string(version % 100000);
}

}  // namespace hiptune::amd
