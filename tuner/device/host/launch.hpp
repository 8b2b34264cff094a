#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "device/device.hpp"

namespace hiptune::host {

// Hands the blocks of a launch to whoever asks, in order, a chunk at a time.
class BlockQueue {
 public:
  BlockQueue(std::int64_t blocks, int workers)
      : blocks_(blocks), chunk_(std::clamp<std::int64_t>(blocks / (std::int64_t{workers} * 32), 1, 1024)) {}

  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
  };
  // Empty when no block is left.
  [[nodiscard]] Range take() {
    const std::int64_t begin = std::min(next_.fetch_add(chunk_, std::memory_order_relaxed), blocks_);
    return {begin, std::min(begin + chunk_, blocks_)};
  }
  // No further block is handed out. Blocks of chunks already taken are skipped too.
  void close() { closed_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  std::int64_t blocks_;
  std::int64_t chunk_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> closed_{false};
};

// A launch as its workers see it.
struct Launch {
  void (*entry)(void* const* arguments);
  void* const* arguments;
  Geometry geometry;
  Schedule schedule;
  std::uint64_t serial;  // differs between launches, so that each shuffles anew
  BlockQueue blocks;
};

}  // namespace hiptune::host
