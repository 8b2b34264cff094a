#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/buffer_set.hpp"

namespace hiptune {

// How many buffer sets make the cache cold, decided without a device.
struct RotationPlan {
  std::size_t sets = 1;
  std::size_t flush_bytes = 0;  // > 0: written before each round, since the sets alone do not exceed the cache
};

// Sets that together exceed the last-level cache three times, at most 256 and at most `memory_limit` bytes; if those
// do not exceed it, a buffer of twice its size is written before each round. An unknown cache (0) is taken as 256 MiB,
// the largest of today's GPUs.
[[nodiscard]] RotationPlan plan_rotation(std::size_t set_bytes, std::int64_t last_level_cache_bytes,
                                         std::size_t memory_limit);

// The buffer sets that all variants of a problem are timed over.
class Rotation {
 public:
  // `restore` puts a set's initial contents in place; called once per set, and between batches for in-out buffers.
  using Restore = std::function<void(const BufferSet&, std::size_t set)>;

  Rotation(Device& device, const std::vector<BufferLayout>& layouts, const RotationPlan& plan, bool has_inout,
           Restore restore);

  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  [[nodiscard]] const BufferSet& set(std::size_t index) const { return sets_[index]; }
  [[nodiscard]] bool needs_flush() const { return flush_.bytes() > 0; }
  [[nodiscard]] bool has_inout() const { return has_inout_; }
  // Writes the flush buffer, if there is one.
  void flush();
  void restore(std::size_t set) { restore_(sets_[set], set); }

 private:
  Device* device_;
  std::vector<BufferSet> sets_;
  DeviceMemory flush_;
  bool has_inout_;
  Restore restore_;
  unsigned char flush_value_ = 0;
};

}  // namespace hiptune
