#include "device/host/worker_pool.hpp"

#include <algorithm>

namespace hiptune::host {

WorkerPool::WorkerPool(int workers) {
  for (int i = 1; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(int wanted, const std::function<void(int)>& job) {
  const int threads = std::min(wanted, workers()) - 1;
  if (threads > 0) {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    wanted_ = threads;
    ++run_;
  }
  wake(threads);
  job(0);
  if (threads <= 0) return;
  std::unique_lock lock(mutex_);
  wanted_ = 0;
  done_.wait(lock, [this] { return running_ == 0; });
}

void WorkerPool::wake(int threads) {
  if (threads + 1 == workers()) return wake_.notify_all();
  for (int i = 0; i < threads; ++i) wake_.notify_one();
}

void WorkerPool::work(int worker) {
  std::uint64_t joined = 0;  // the last run
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || (wanted_ > 0 && joined != run_); });
    if (stop_) return;
    joined = run_;
    --wanted_;
    ++running_;
    const std::function<void(int)>& job = *job_;
    lock.unlock();
    job(worker);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace hiptune::host
