#pragma once

#include <functional>

#include "gpu/handles.hpp"

namespace hiptune::gpu {

// Times work on a stream of its own. What is enqueued becomes a graph, and the queue is kept busy until the graph is
// in it, so that neither the host's launches nor the graph's own start are in the time. For one thread.
class Stopwatch {
 public:
  Stopwatch();
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  [[nodiscard]] Nanoseconds time(const std::function<void(Stream)>& enqueue);

 private:
  [[nodiscard]] GraphExecHandle capture(const std::function<void(Stream)>& enqueue);
  void block_queue();

  StreamHandle stream_ = make_stream();
  EventHandle start_ = make_event();
  EventHandle stop_ = make_event();
  void* scratch_ = nullptr;
  GraphExecHandle blocker_;  // short fills of scratch_, one after the other
  int fills_ = 0;            // of the blocker
};

}  // namespace hiptune::gpu
