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
  return samples(launch, cold_batch(launch), limits_.hopeless_cold);
}

std::vector<double> Timer::warm(const LaunchOver& launch) {
  return samples(launch, warm_batch(launch), limits_.hopeless_warm);
}

Timer::Batch Timer::cold_batch(const LaunchOver& launch) {
  return warm_up(launch, {rotation_->size(), rotation_->needs_flush(), 1});
}

Timer::Batch Timer::warm_batch(const LaunchOver& launch) { return warm_up(launch, {1, false, 1}); }

Timer::Batch Timer::warm_up(const LaunchOver& launch, Batch single) {
  next_ = 0;
  Nanoseconds per_launch{0};
  for (int i = 0; i < std::max(1, limits_.warmups); ++i) per_launch = time(launch, single);
  return {single.sets, single.flush, batch_size(per_launch, single)};
}

double Timer::sample(const LaunchOver& launch, const Batch& batch) {
  return time(launch, batch).count() / batch.launches;
}

double Timer::led_sample(const LaunchOver& launch, const Batch& batch) {
  lead(launch, batch);
  return sample(launch, batch);
}

void Timer::lead(const LaunchOver& launch, const Batch& batch) {
  constexpr int kMost = 16;
  Nanoseconds led{0};
  for (int i = 0; i < kMost && led < limits_.min_batch; ++i) led += time(launch, batch);
}

std::vector<double> Timer::samples(const LaunchOver& launch, const Batch& batch, std::optional<double> hopeless_above) {
  if (!limits_.launches && batch.launches > 1) lead(launch, batch);
  StopLimits limits = limits_.stop;
  limits.hopeless_above = hopeless_above;
  StopRule rule(limits, clock_);
  for (rule.start(); !rule.done();) rule.add(sample(launch, batch));
  return rule.samples();
}

// Enough launches for the clock, never more than leave every launch its own fresh set where sets must be fresh.
int Timer::batch_size(Nanoseconds per_launch, const Batch& single) const {
  const double wanted = std::ceil(limits_.min_batch / std::max(per_launch, Nanoseconds(1)));
  const int launches = limits_.launches.value_or(static_cast<int>(std::clamp<double>(wanted, 1, limits_.max_batch)));
  const bool fresh = single.flush || rotation_->has_inout();
  return fresh ? std::min(launches, static_cast<int>(single.sets)) : launches;
}

void Timer::restore(const Batch& batch) {
  if (!rotation_->has_inout()) return;
  for (int i = 0; i < batch.launches; ++i) rotation_->restore((next_ + static_cast<std::size_t>(i)) % batch.sets);
}

DeviceTime Timer::try_batch(const LaunchOver& launch, const Batch& batch) {
  restore(batch);
  if (batch.flush) rotation_->flush();
  return device_->time([&](Stream stream) {
    for (int i = 0; i < batch.launches; ++i) {
      launch(next_, stream);
      next_ = (next_ + 1) % batch.sets;
    }
  });
}

// A device that is late every time is as the caller gets it.
Nanoseconds Timer::time(const LaunchOver& launch, const Batch& batch) {
  constexpr int kMostTries = 5;
  next_ %= batch.sets;
  DeviceTime taken = try_batch(launch, batch);
  for (int i = 1; taken.late && i < kMostTries; ++i) taken = try_batch(launch, batch);
  return taken.time;
}

}  // namespace hiptune
