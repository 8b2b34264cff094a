#include "gpu/queue_hold.hpp"

#include <atomic>
#include <chrono>
#include <semaphore>

namespace hiptune::gpu {
namespace {

// Thousands of launches are enqueued in far less.
constexpr std::chrono::milliseconds kLongest{200};

}  // namespace

struct QueueHold::State {
  std::binary_semaphore go{0};
  std::atomic<bool> went_on{false};
};

void QueueHold::wait(hipStream_t, hipError_t, void* state) {
  const std::unique_ptr<std::shared_ptr<State>> held(static_cast<std::shared_ptr<State>*>(state));
  if (!(*held)->go.try_acquire_for(kLongest)) (*held)->went_on = true;
}

QueueHold::QueueHold(hipStream_t stream) : state_(std::make_shared<State>()) {
  auto held = std::make_unique<std::shared_ptr<State>>(state_);
  if (hipStreamAddCallback(stream, &QueueHold::wait, held.get(), 0) == hipSuccess)
    static_cast<void>(held.release());  // the callback's own now
  else
    static_cast<void>(hipGetLastError());
}

QueueHold::~QueueHold() { static_cast<void>(let_go()); }

bool QueueHold::let_go() {
  if (state_ == nullptr) return true;
  const std::shared_ptr<State> state = std::move(state_);
  const bool held = !state->went_on;
  state->go.release();
  return held;
}

}  // namespace hiptune::gpu
