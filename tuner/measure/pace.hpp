#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// How slow a device is, as the time of one fixed piece of work tells, against when it was first asked: 1.05 is 5 %
// slower.
class Pace {
 public:
  // `reference` does the work once and returns its time. `pause` lets the device recover from throttling.
  Pace(std::function<Nanoseconds()> reference, std::function<void()> pause);

  // Takes a few samples of the reference now.
  [[nodiscard]] double now();
  // Whether it is slower, at a pace of this run, than it can be: by 10 %.
  [[nodiscard]] bool is_throttled(double pace) const;
  void pause() const { pause_(); }
  // It will not become faster again: what it does now is what it can do.
  void settle() { best_ = latest_; }

 private:
  std::function<Nanoseconds()> reference_;
  std::function<void()> pause_;
  std::optional<double> first_;   // nanoseconds
  double latest_ = 1, best_ = 1;  // paces
};

// Samples, and what the device's pace was meanwhile.
struct PacedSamples {
  std::vector<double> ns;
  double pace = 1;        // mean of before and after
  bool is_steady = true;  // false: the pace changed or the device throttled, time and again
  int retakes = 0;
};

// Takes samples between two looks at the pace. Where it changed by more than 3 % meanwhile, or the device is
// throttled, they are dropped and taken again, three times at most, after a pause.
[[nodiscard]] PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take);

}  // namespace hiptune
