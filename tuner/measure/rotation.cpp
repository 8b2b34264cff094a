#include "measure/rotation.hpp"

#include <algorithm>

namespace hiptune {
namespace {

constexpr std::size_t kMaxSets = 256;
constexpr std::size_t kCacheMultiple = 3;
constexpr std::size_t kUnknownCacheBytes = std::size_t{256} << 20;

}  // namespace

RotationPlan plan_rotation(std::size_t set_bytes, std::int64_t last_level_cache_bytes, std::size_t memory_limit) {
  const std::size_t cache =
      last_level_cache_bytes > 0 ? static_cast<std::size_t>(last_level_cache_bytes) : kUnknownCacheBytes;
  const std::size_t unit = std::max<std::size_t>(set_bytes, 1);
  const std::size_t wanted = (kCacheMultiple * cache + unit - 1) / unit;
  const std::size_t affordable = std::max<std::size_t>(memory_limit / unit, 1);
  // One more than needed: the set after the last is the first again, and its end may still be cached.
  const std::size_t sets = std::min({wanted + 1, affordable, kMaxSets});
  return {sets, sets * unit > cache ? 0 : 2 * cache};
}

Rotation::Rotation(Device& device, const std::vector<BufferLayout>& layouts, const RotationPlan& plan, bool has_inout,
                   Restore restore)
    : device_(&device), has_inout_(has_inout), restore_(std::move(restore)) {
  for (std::size_t i = 0; i < plan.sets; ++i) sets_.emplace_back(device, layouts);
  if (plan.flush_bytes > 0) flush_ = DeviceMemory(device, plan.flush_bytes);
  for (std::size_t i = 0; i < plan.sets; ++i) this->restore(i);
}

void Rotation::flush() {
  if (!needs_flush()) return;
  device_->fill(flush_.data(), std::byte{flush_value_++}, flush_.bytes(), nullptr);
  device_->synchronize(nullptr);
}

}  // namespace hiptune
