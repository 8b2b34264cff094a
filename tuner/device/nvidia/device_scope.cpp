#include "gpu/device_scope.hpp"

#include <cuda.h>

#include <array>
#include <atomic>

// cudaSetDevice would do, but going back to the device that a thread has by default makes a context on it, which takes
// half a gigabyte and fails where that device is full or another's. So the device's primary context, which is the
// runtime's, is pushed and popped: the CUDA C++ Programming Guide, "Interoperability between Runtime and Driver APIs".
namespace hiptune::gpu {
namespace {

// The driver's library is not linked: hiptune starts without it.
template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  constexpr unsigned kVersion = 12000;
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result);
  return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function*>(found) : nullptr;
}

struct Driver {
  decltype(&cuDeviceGet) get = driver_function<decltype(cuDeviceGet)>("cuDeviceGet");
  decltype(&cuDevicePrimaryCtxRetain) retain =
      driver_function<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuCtxPushCurrent) push = driver_function<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent");
  decltype(&cuCtxPopCurrent) pop = driver_function<decltype(cuCtxPopCurrent)>("cuCtxPopCurrent");
  [[nodiscard]] bool is_there() const {
    return get != nullptr && retain != nullptr && push != nullptr && pop != nullptr;
  }
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

constexpr int kMostDevices = 256;

// Kept until the process ends, as the runtime keeps it.
CUcontext primary_context(int device) {
  static std::array<std::atomic<CUcontext>, kMostDevices> known{};
  std::atomic<CUcontext>& context = known.at(static_cast<std::size_t>(device));
  if (context.load() == nullptr) {
    CUcontext retained = nullptr;
    CUdevice handle = 0;
    if (driver().get(&handle, device) == CUDA_SUCCESS && driver().retain(&retained, handle) == CUDA_SUCCESS)
      context = retained;
  }
  return context.load();
}

hipError_t push(int device) {
  if (device >= kMostDevices || !driver().is_there()) return cudaErrorNotSupported;
  const CUcontext context = primary_context(device);
  if (context == nullptr) return cudaErrorDevicesUnavailable;
  return driver().push(context) == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

}  // namespace

DeviceScope::DeviceScope(int device) noexcept {
  if (cudaGetDevice(&previous_) == cudaSuccess && previous_ == device) return;
  error_ = push(device);
  changed_ = error_ == cudaSuccess;
}

DeviceScope::~DeviceScope() {
  CUcontext popped = nullptr;
  if (changed_) static_cast<void>(driver().pop(&popped));
}

}  // namespace hiptune::gpu
