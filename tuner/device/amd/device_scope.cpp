#include "gpu/device_scope.hpp"

namespace hiptune::gpu {

DeviceScope::DeviceScope(int device) noexcept {
  if (hipGetDevice(&previous_) == hipSuccess && previous_ == device) return;
  error_ = hipSetDevice(device);
  changed_ = error_ == hipSuccess;
}

DeviceScope::~DeviceScope() {
  if (changed_) static_cast<void>(hipSetDevice(previous_));
}

}  // namespace hiptune::gpu
