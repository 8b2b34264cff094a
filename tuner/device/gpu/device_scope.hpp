#pragma once

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// Makes a device the calling thread's current one, and gives the thread its own back at the end: an application may
// use several. Never fails: where the device cannot be made current, the calls that follow say so.
class DeviceScope {
 public:
  explicit DeviceScope(int device) noexcept {
    if (hipGetDevice(&previous_) == hipSuccess && previous_ == device) return;
    changed_ = hipSetDevice(device) == hipSuccess;
  }
  ~DeviceScope() {
    if (changed_) static_cast<void>(hipSetDevice(previous_));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

}  // namespace hiptune::gpu
