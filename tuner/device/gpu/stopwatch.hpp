#pragma once

#include <functional>

#include "gpu/handles.hpp"

namespace hiptune::gpu {

// Times work on a stream of its own. What is enqueued becomes a graph, and the stream is held until the graph is in
// it, so that neither the host's launches nor the graph's own start are in the time; but for a runtime that takes no
// work while a stream is held, where graphs are all that can be done. For one thread.
class Stopwatch {
 public:
  [[nodiscard]] DeviceTime time(const std::function<void(Stream)>& enqueue);

 private:
  [[nodiscard]] GraphExecHandle capture(const std::function<void(Stream)>& enqueue);

  StreamHandle stream_ = make_stream();
  EventHandle start_ = make_event();
  EventHandle stop_ = make_event();
  int lates_ = 0;  // in a row
};

}  // namespace hiptune::gpu
