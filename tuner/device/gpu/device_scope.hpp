#pragma once

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// Makes a device the calling thread's current one, and gives the thread its own back at the end: an application may
// use several. Each backend has its own device_scope.cpp.
class DeviceScope {
 public:
  explicit DeviceScope(int device) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  // Why the device is not current.
  [[nodiscard]] hipError_t error() const { return error_; }

 private:
  int previous_ = 0;
  bool changed_ = false;
  hipError_t error_ = hipSuccess;
};

}  // namespace hiptune::gpu
