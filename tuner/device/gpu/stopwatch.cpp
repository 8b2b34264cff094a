#include "gpu/stopwatch.hpp"

#include <optional>

#include "gpu/queue_hold.hpp"

namespace hiptune::gpu {
namespace {

// So many times in a row are no chance: the runtime waits for the stream when work is enqueued.
constexpr int kMostLates = 3;

}  // namespace

GraphExecHandle Stopwatch::capture(const std::function<void(Stream)>& enqueue) {
  HIPTUNE_CALL(hipStreamBeginCapture(stream_.get(), hipStreamCaptureModeThreadLocal));
  hipGraph_t graph = nullptr;
  try {
    enqueue(stream_.get());
  } catch (...) {
    static_cast<void>(hipStreamEndCapture(stream_.get(), &graph));
    const GraphHandle owner(graph);
    throw;
  }
  HIPTUNE_CALL(hipStreamEndCapture(stream_.get(), &graph));
  const GraphHandle owner(graph);
  hipGraphExec_t executable = nullptr;
  HIPTUNE_CALL(instantiate(executable, graph, stream_.get()));
  return GraphExecHandle(executable);
}

DeviceTime Stopwatch::time(const std::function<void(Stream)>& enqueue) {
  const GraphExecHandle work = capture(enqueue);
  HIPTUNE_CALL(hipStreamSynchronize(nullptr));  // what came before on the default stream must not be in the time
  std::optional<QueueHold> hold;
  if (lates_ < kMostLates) hold.emplace(stream_.get());
  HIPTUNE_CALL(hipEventRecord(start_.get(), stream_.get()));
  HIPTUNE_CALL(hipGraphLaunch(work.get(), stream_.get()));
  HIPTUNE_CALL(hipEventRecord(stop_.get(), stream_.get()));
  const bool is_late = hold && !hold->let_go();
  if (hold) lates_ = is_late ? lates_ + 1 : 0;
  HIPTUNE_CALL(hipEventSynchronize(stop_.get()));
  float milliseconds = 0;
  HIPTUNE_CALL(hipEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
  return {std::chrono::duration<double, std::milli>(milliseconds), is_late};
}

}  // namespace hiptune::gpu
