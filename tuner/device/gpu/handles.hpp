#pragma once

#include <utility>

#include "gpu/check.hpp"

namespace hiptune::gpu {

// A vendor's handle with an owner. Move-only.
template <class T, hipError_t (*Destroy)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() {
    if (value_ != nullptr) ignore(Destroy(value_));
  }
  [[nodiscard]] T get() const { return value_; }

 private:
  T value_ = nullptr;
};

using StreamHandle = Handle<hipStream_t, hipStreamDestroy>;
using EventHandle = Handle<hipEvent_t, hipEventDestroy>;
using GraphHandle = Handle<hipGraph_t, hipGraphDestroy>;
using GraphExecHandle = Handle<hipGraphExec_t, hipGraphExecDestroy>;

[[nodiscard]] inline StreamHandle make_stream() {
  hipStream_t stream = nullptr;
  HIPTUNE_CALL(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  return StreamHandle(stream);
}

[[nodiscard]] inline EventHandle make_event() {
  hipEvent_t event = nullptr;
  HIPTUNE_CALL(hipEventCreate(&event));
  return EventHandle(event);
}

}  // namespace hiptune::gpu
