#include "gpu/runtime.hpp"

#include <algorithm>
#include <array>

#include "gpu/check.hpp"
#include "nvidia/clock.hpp"
#include "nvidia/clusters.hpp"

namespace hiptune::gpu {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  HIPTUNE_CALL(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

std::string version_text(int version) {  // 13000: 13.0
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int driver_version() {
  int version = 0;  // stays 0 without a driver
  static_cast<void>(cudaDriverGetVersion(&version));
  return version;
}

TargetFacts facts_of(int device) {
  TargetFacts facts;
  facts.wave_size = attribute(cudaDevAttrWarpSize, device);
  facts.lds_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  facts.compute_units = attribute(cudaDevAttrMultiProcessorCount, device);
  facts.max_cluster = nvidia::max_cluster(10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                                          attribute(cudaDevAttrComputeCapabilityMinor, device));
  facts.max_block_threads = attribute(cudaDevAttrMaxThreadsPerBlock, device);
  facts.max_grid_x = attribute(cudaDevAttrMaxGridDimX, device);
  facts.max_grid_yz = attribute(cudaDevAttrMaxGridDimY, device);
  return facts;
}

}  // namespace

const char* const kBackend = "nvidia";

Target describe(int device) {
  cudaDeviceProp properties{};
  HIPTUNE_CALL(cudaGetDeviceProperties(&properties, device));
  std::size_t left = 0, all = 0;
  HIPTUNE_CALL(cudaMemGetInfo(&left, &all));
  Target target;
  target.architecture = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  target.name = properties.name;
  target.driver = "CUDA " + version_text(driver_version());
  target.facts = facts_of(device);
  target.last_level_cache_bytes = properties.l2CacheSize;
  target.memory_bytes = static_cast<std::int64_t>(left);
  return target;
}

std::optional<double> clock_mhz(int device) {
  std::array<char, 32> bus_id{};
  const hipError_t error = cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device);
  ignore(error);
  return error == cudaSuccess ? nvidia::clock_mhz(bus_id.data()) : std::nullopt;
}

std::string why_no_device(hipError_t error) {
  const std::string needed = "CUDA " + version_text(CUDART_VERSION);
  if (driver_version() == 0)
    return "no NVIDIA driver is loaded, or this container was not given the GPUs (a driver for " + needed +
           " is needed)";
  if (error == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is for CUDA " + version_text(driver_version()) + ", and hiptune was built with " +
           needed + "; install a newer driver";
  if (error == cudaSuccess || error == cudaErrorNoDevice) return "the NVIDIA driver shows no device";
  return words_of("cudaGetDeviceCount", error);
}

bool is_fatal(hipError_t error) {
  constexpr std::array kFatal {
    cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorLaunchTimeout, cudaErrorAssert,
        cudaErrorHardwareStackError, cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
        cudaErrorInvalidAddressSpace, cudaErrorInvalidPc, cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable,
        cudaErrorContained, cudaErrorExternalDevice, cudaErrorMpsClientTerminated,
#if CUDART_VERSION >= 13000
        cudaErrorTensorMemoryLeak,
#endif
        cudaErrorUnknown
  };
  return std::ranges::count(kFatal, error) > 0;
}

bool is_fatal_of_launch(hipError_t error) { return is_fatal(error); }

hipError_t load(Library& library, std::span<const std::byte> code) {
  return cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(&library), code.data(), nullptr, nullptr, 0, nullptr,
                             nullptr, 0);
}

void unload(Library library) noexcept { ignore(cudaLibraryUnload(static_cast<cudaLibrary_t>(library))); }

hipError_t find_kernel(Kernel& kernel, Library library, const std::string& entry, const TargetFacts& facts) {
  cudaKernel_t found = nullptr;
  const cudaError_t error = cudaLibraryGetKernel(&found, static_cast<cudaLibrary_t>(library), entry.c_str());
  if (error != cudaSuccess) return error;
  kernel = found;
  cudaFuncAttributes attributes{};
  if (const cudaError_t failure = cudaFuncGetAttributes(&attributes, found); failure != cudaSuccess) return failure;
  if (facts.max_cluster > nvidia::kPortableCluster) {
    const auto failure = cudaFuncSetAttribute(found, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (failure != cudaSuccess) return failure;
  }
  const auto most = static_cast<int>(facts.lds_bytes) - static_cast<int>(attributes.sharedSizeBytes);
  return cudaFuncSetAttribute(found, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}

hipError_t launch(Kernel kernel, const Geometry& geometry, void* const* arguments, hipStream_t stream) {
  const auto dim = [](const std::array<std::int64_t, 3>& extents) {
    return dim3(static_cast<unsigned>(extents[0]), static_cast<unsigned>(extents[1]),
                static_cast<unsigned>(extents[2]));
  };
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(geometry.cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim(geometry.grid);
  config.blockDim = dim(geometry.block);
  config.dynamicSmemBytes = static_cast<std::size_t>(geometry.dynamic_lds);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = geometry.cluster > 1 ? 1 : 0;
  return cudaLaunchKernelExC(&config, kernel, const_cast<void**>(arguments));
}

hipError_t instantiate(hipGraphExec_t& executable, hipGraph_t graph, hipStream_t stream) {
  const hipError_t error = cudaGraphInstantiate(&executable, graph, 0);
  // What it cannot do before the launch it does then.
  if (error == cudaSuccess && cudaGraphUpload(executable, stream) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error;
}

}  // namespace hiptune::gpu
