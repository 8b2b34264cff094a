#pragma once

#include <memory>

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// Holds a stream back: what is enqueued while it lives starts when it is let go. The wait is a callback on the stream,
// which ends by itself after a fifth of a second, so that a runtime that lets nothing be enqueued meanwhile goes on.
class QueueHold {
 public:
  // Holds nothing where the runtime has no callbacks.
  explicit QueueHold(hipStream_t stream);
  ~QueueHold();
  QueueHold(const QueueHold&) = delete;
  QueueHold& operator=(const QueueHold&) = delete;

  // False: the stream went on before.
  [[nodiscard]] bool let_go();

 private:
  struct State;
  static void wait(hipStream_t stream, hipError_t error, void* state);

  std::shared_ptr<State> state_;  // shared with the callback, which may come late
};

}  // namespace hiptune::gpu
