#include "gpu/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "amd/clock.hpp"
#include "amd/limits.hpp"
#include "amd/memory_cache.hpp"
#include "amd/rocm_version.hpp"
#include "gpu/check.hpp"

namespace hiptune::gpu {
namespace {

TargetFacts facts_of(const amd::Properties& properties) {
  TargetFacts facts = amd::common_facts();
  facts.wave_size = properties.wave_size;
  facts.lds_bytes = properties.lds_bytes;
  facts.compute_units = properties.compute_units;
  facts.max_block_threads = properties.max_block_threads;
  facts.max_grid_x = properties.max_grid[0];
  facts.max_grid_yz = std::min({properties.max_grid[1], properties.max_grid[2], facts.max_grid_yz});
  return facts;
}

}  // namespace

const char* const kBackend = "amd";

Target describe(int device) {
  const amd::Properties properties = amd::properties_of(device);
  std::size_t left = 0, all = 0;
  HIPTUNE_CALL(hipMemGetInfo(&left, &all));
  Target target;
  target.architecture = properties.architecture;
  target.name = properties.name.empty() ? properties.architecture : properties.name;
  target.driver = amd::runtime_version();
  target.facts = facts_of(properties);
  target.last_level_cache_bytes = amd::memory_cache_bytes(properties.pci_bus_id, properties.l2_bytes);
  target.memory_bytes = static_cast<std::int64_t>(left);
  return target;
}

std::optional<double> clock_mhz(int device) {
  std::array<char, 64> bus_id{};
  const hipError_t error = hipDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device);
  ignore(error);
  return error == hipSuccess ? amd::clock_mhz(bus_id.data()) : std::nullopt;
}

std::string why_no_device(hipError_t error) {
  if (::access("/dev/kfd", F_OK) != 0)
    return "there is no /dev/kfd: the amdgpu driver is not loaded, or this container was not given the GPUs";
  if (::access("/dev/kfd", R_OK | W_OK) != 0)
    return "/dev/kfd may not be opened; add this user to the group that owns it (render or video)";
  if (error == hipSuccess || error == hipErrorNoDevice)
    return "the HIP runtime " + amd::runtime_version() + " shows no device";
  return words_of("hipGetDeviceCount", error);
}

bool is_fatal(hipError_t error) {
  constexpr std::array kFatal{hipErrorIllegalAddress, hipErrorLaunchFailure,     hipErrorLaunchTimeOut,
                              hipErrorAssert,         hipErrorECCNotCorrectable, hipErrorUnknown};
  return std::ranges::count(kFatal, error) > 0;
}

// HIP refuses a block beyond the kernel's launch bounds with the error of a kernel that failed.
bool is_fatal_of_launch(hipError_t error) { return error != hipErrorLaunchFailure && is_fatal(error); }

hipError_t load(Library& library, std::span<const std::byte> code) {
  return hipModuleLoadData(reinterpret_cast<hipModule_t*>(&library), code.data());
}

void unload(Library library) noexcept { ignore(hipModuleUnload(static_cast<hipModule_t>(library))); }

hipError_t find_kernel(Kernel& kernel, Library library, const std::string& entry, const TargetFacts&) {
  return hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(&kernel), static_cast<hipModule_t>(library),
                              entry.c_str());
}

hipError_t launch(Kernel kernel, const Geometry& geometry, void* const* arguments, hipStream_t stream) {
  const auto number = [](std::int64_t value) { return static_cast<unsigned>(value); };
  return hipModuleLaunchKernel(static_cast<hipFunction_t>(kernel), number(geometry.grid[0]), number(geometry.grid[1]),
                               number(geometry.grid[2]), number(geometry.block[0]), number(geometry.block[1]),
                               number(geometry.block[2]), number(geometry.dynamic_lds), stream,
                               const_cast<void**>(arguments), nullptr);
}

// HIP enqueues a graph's nodes when it is launched; nothing can be uploaded before.
hipError_t instantiate(hipGraphExec_t& executable, hipGraph_t graph, hipStream_t) {
  return hipGraphInstantiateWithFlags(&executable, graph, 0);
}

}  // namespace hiptune::gpu
