#include "measure/timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace hiptune {

Clock steady_clock() {
  return [] { return Nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); };
}

Timer::Timer(Device& device, Rotation& rotation, const TimingLimits& limits, Clock clock)
    : device_(&device), rotation_(&rotation), limits_(limits), clock_(std::move(clock)) {}

std::vector<double> Timer::cold(const LaunchOver& launch) {
  return sample(launch, {rotation_->size(), rotation_->needs_flush()});
}

std::vector<double> Timer::warm(const LaunchOver& launch) { return sample(launch, {1, false}); }

std::vector<double> Timer::sample(const LaunchOver& launch, const Mode& mode) {
  next_ = 0;
  Nanoseconds per_launch{0};
  for (int i = 0; i < std::max(1, limits_.warmups); ++i) per_launch = batch(launch, mode, 1);
  const int launches = batch_size(per_launch, mode);
  StopRule rule(limits_.stop, clock_);
  for (rule.start(); !rule.done();) rule.add(batch(launch, mode, launches).count() / launches);
  return rule.samples();
}

// Enough launches for the clock, never more than leave every launch its own fresh set where sets must be fresh.
int Timer::batch_size(Nanoseconds per_launch, const Mode& mode) const {
  const double wanted = std::ceil(limits_.min_batch / std::max(per_launch, Nanoseconds(1)));
  const int launches = limits_.launches.value_or(static_cast<int>(std::clamp<double>(wanted, 1, limits_.max_batch)));
  const bool fresh = mode.flush || rotation_->has_inout();
  return fresh ? std::min(launches, static_cast<int>(mode.sets)) : launches;
}

void Timer::restore(const Mode& mode, int launches) {
  if (!rotation_->has_inout()) return;
  for (int i = 0; i < launches; ++i) rotation_->restore((next_ + static_cast<std::size_t>(i)) % mode.sets);
}

DeviceTime Timer::try_batch(const LaunchOver& launch, const Mode& mode, int launches) {
  restore(mode, launches);
  if (mode.flush) rotation_->flush();
  return device_->time([&](Stream stream) {
    for (int i = 0; i < launches; ++i) {
      launch(next_, stream);
      next_ = (next_ + 1) % mode.sets;
    }
  });
}

// A device that is late every time is as the caller gets it.
Nanoseconds Timer::batch(const LaunchOver& launch, const Mode& mode, int launches) {
  constexpr int kMostTries = 5;
  DeviceTime taken = try_batch(launch, mode, launches);
  for (int i = 1; taken.late && i < kMostTries; ++i) taken = try_batch(launch, mode, launches);
  return taken.time;
}

}  // namespace hiptune
