#include "gpu/stopwatch.hpp"

#include <algorithm>

namespace hiptune::gpu {
namespace {

// Small enough to leave the caches as they are.
constexpr std::size_t kScratchBytes = 4096;
// A fill takes a GPU one to two microseconds.
constexpr int kFirstFills = 64;
constexpr int kMostFills = 1024;

}  // namespace

Stopwatch::Stopwatch() { HIPTUNE_CALL(hipMalloc(&scratch_, kScratchBytes)); }

Stopwatch::~Stopwatch() { static_cast<void>(hipFree(scratch_)); }

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
  HIPTUNE_CALL(instantiate(executable, graph));
  return GraphExecHandle(executable);
}

void Stopwatch::block_queue() {
  if (blocker_.get() == nullptr) {
    fills_ = std::clamp(2 * fills_, kFirstFills, kMostFills);
    blocker_ = capture([this](Stream stream) {
      for (int i = 0; i < fills_; ++i)
        HIPTUNE_CALL(hipMemsetAsync(scratch_, i, kScratchBytes, static_cast<hipStream_t>(stream)));
    });
  }
  HIPTUNE_CALL(hipGraphLaunch(blocker_.get(), stream_.get()));
}

Nanoseconds Stopwatch::time(const std::function<void(Stream)>& enqueue) {
  const GraphExecHandle work = capture(enqueue);
  HIPTUNE_CALL(hipStreamSynchronize(nullptr));  // what came before on the default stream must not be in the time
  block_queue();
  HIPTUNE_CALL(hipEventRecord(start_.get(), stream_.get()));
  HIPTUNE_CALL(hipGraphLaunch(work.get(), stream_.get()));
  const bool was_late = hipEventQuery(start_.get()) == hipSuccess;  // the queue ran dry before the graph was in it
  HIPTUNE_CALL(hipEventRecord(stop_.get(), stream_.get()));
  HIPTUNE_CALL(hipEventSynchronize(stop_.get()));
  static_cast<void>(hipGetLastError());  // hipEventQuery's "not ready" is no error
  // The first launches of a late graph waited for the host, and this time has some of that in it. It cannot be taken
  // again, for the work may have changed its buffers; the next one meets a longer blocker.
  if (was_late && fills_ < kMostFills) blocker_ = {};
  float milliseconds = 0;
  HIPTUNE_CALL(hipEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
  return std::chrono::duration<double, std::milli>(milliseconds);
}

}  // namespace hiptune::gpu
