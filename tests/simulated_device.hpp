#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "made_up_device.hpp"

namespace hiptune::test {

// What a real device does to times, per sample.
struct Disturbances {
  double noise = 0;               // standard deviation, as a share
  double drift_per_second = 0;    // slower and slower: a share
  double outliers = 0;            // share of samples that take 1.2 to 3 times as long
  double throttled_from = 1e30;   // seconds
  double throttled_until = 1e30;  //
  double throttled_by = 1.3;      // times slower meanwhile
  bool throttles_copies = true;   // false: memory bounds them, and keeps its clock
  double clock_mhz = 0;           // of the cores, but while throttled; 0: cannot be read
  double resolution = 0;          // of the clock, ns
};

// A made-up device whose times are disturbed. A launch moves `now` by its true time; time() disturbs what it reports
// and spends. The true time is what measurement must find.
class SimulatedDevice : public MadeUpDevice {
 public:
  SimulatedDevice(const Disturbances& disturbances, std::uint64_t seed) : disturbances_(disturbances), random_(seed) {}

  DeviceTime time(const std::function<void(Stream)>& enqueue) override {
    const Nanoseconds before = now;
    enqueue(nullptr);
    return disturbed(before, now - before, throttle(before));
  }

  DeviceTime time_copy(Nanoseconds true_time) {
    return disturbed(now, true_time, disturbances_.throttles_copies ? throttle(now) : 1);
  }

  std::optional<double> clock_mhz() override {
    if (disturbances_.clock_mhz == 0) return std::nullopt;
    return disturbances_.clock_mhz / throttle(now);
  }

 private:
  static constexpr Nanoseconds kHostCost{5e4};

  DeviceTime disturbed(Nanoseconds start, Nanoseconds true_time, double throttle) {
    const double drift = 1 + disturbances_.drift_per_second * start.count() / 1e9;
    const double taken = true_time.count() * drift * throttle * noise();
    now = start + Nanoseconds(taken) + kHostCost;
    ++timed;
    return {Nanoseconds(rounded(taken))};
  }

  [[nodiscard]] double throttle(Nanoseconds at) const {
    const double seconds = at.count() / 1e9;
    const bool is_throttled = seconds >= disturbances_.throttled_from && seconds < disturbances_.throttled_until;
    return is_throttled ? disturbances_.throttled_by : 1;
  }

  [[nodiscard]] double noise() {
    double factor = std::max(0.5, 1 + disturbances_.noise * std::normal_distribution<>()(random_));
    if (std::uniform_real_distribution<>()(random_) < disturbances_.outliers)
      factor *= std::uniform_real_distribution<>(1.2, 3)(random_);
    return factor;
  }

  [[nodiscard]] double rounded(double ns) const {
    return disturbances_.resolution == 0 ? ns : std::round(ns / disturbances_.resolution) * disturbances_.resolution;
  }

  Disturbances disturbances_;
  std::mt19937_64 random_;
};

}  // namespace hiptune::test
