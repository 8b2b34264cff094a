#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hiptune::host {

// Threads that wait for work, and the caller as one more. `run` is for one caller at a time.
class WorkerPool {
 public:
  explicit WorkerPool(int workers);  // the caller included
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int workers() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls job(0) on the caller and job(i), 0 < i < workers(), on at most `wanted` - 1 threads, each of which joins
  // once, and returns when all have ended. A thread that wakes up after job(0) has ended takes no part, so the work
  // must be shared out by asking for it. The job must not throw. Does not allocate.
  void run(int wanted, const std::function<void(int)>& job);

 private:
  void wake(int threads);
  void work(int worker);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(int)>* job_ = nullptr;
  int wanted_ = 0;   // threads that may still join
  int running_ = 0;  // threads that have joined and not ended
  std::uint64_t run_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hiptune::host
