#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>

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

// The order in which a schedule hands out blocks: a bijection of 0 … blocks - 1. A kernel whose blocks rely on each
// other within a launch gives other results in another order.
class BlockOrder {
 public:
  BlockOrder(std::int64_t blocks, const Schedule& schedule, std::uint64_t serial) : blocks_(blocks) {
    const bool can_shuffle = blocks > 1 && blocks <= std::numeric_limits<std::int32_t>::max();  // else at() overflows
    if (schedule.order == Schedule::Order::forward) return;
    if (schedule.order == Schedule::Order::backward || !can_shuffle) {
      first_ = blocks - 1;
      step_ = -1;
      return;
    }
    std::mt19937_64 random(schedule.seed + serial);
    first_ = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks));
    step_ = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks));
    while (std::gcd(step_, blocks) != 1) ++step_;  // ends at blocks + 1 at the latest
  }
  [[nodiscard]] std::int64_t at(std::int64_t i) const {
    return step_ == 1 && first_ == 0 ? i : step_ == -1 ? first_ - i : (first_ + i * step_) % blocks_;
  }

 private:
  std::int64_t blocks_;
  std::int64_t first_ = 0;
  std::int64_t step_ = 1;
};

// A launch as its workers see it.
struct Launch {
  void (*entry)(void* const* arguments);
  std::span<const std::byte> image;  // of the entry's module in memory
  void* const* arguments;
  Geometry geometry;
  Schedule schedule;
  std::uint64_t serial;  // differs between launches, so that each shuffles anew
  BlockQueue blocks;
  BlockOrder order;
};

}  // namespace hiptune::host
