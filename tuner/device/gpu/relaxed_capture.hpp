#pragma once

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// While it lives, calls of this thread do not disturb a stream that another thread captures. Loading and allocating
// would, in the mode that a capture has by default.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange() noexcept {
    if (hipThreadExchangeStreamCaptureMode(&mode_) != hipSuccess) static_cast<void>(hipGetLastError());
  }
  hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
};

}  // namespace hiptune::gpu
