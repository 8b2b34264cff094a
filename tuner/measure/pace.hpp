#pragma once

#include <functional>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// How slow a device is, as the time of one fixed piece of work tells, against the first look: 1.05 is 5 % slower.
class Pace {
 public:
  // `reference` does the work once and returns its time. `pause` lets the device recover from throttling. Takes some
  // samples to learn how noisy the device is.
  Pace(std::function<Nanoseconds()> reference, std::function<void()> pause);

  // Takes a few samples of the reference now.
  [[nodiscard]] double now();
  // Whether it changed between two looks: by more than 3 %, or than its noise explains.
  [[nodiscard]] bool has_changed(double before, double after) const;
  // Whether it is slower, at a pace of this run, than it can be: by 10 %, or more than its noise explains.
  [[nodiscard]] bool is_throttled(double pace) const;
  // Lets the device recover before samples are taken again. False: that was done so often that it takes more time than
  // it is worth, 4 times and once for every 10 looks.
  [[nodiscard]] bool pause();
  // Takes the device as it is now: what it does is what it can do, and such changes are its noise.
  void settle(double before, double after);

 private:
  std::function<Nanoseconds()> reference_;
  std::function<void()> pause_;
  double first_ = 0;              // nanoseconds
  double noise_ = 0;              // of a look: its standard error, as a share
  double latest_ = 1, best_ = 1;  // paces
  int looks_ = 0, pauses_ = 0;
};

// Samples, and what the device's pace was meanwhile.
struct PacedSamples {
  std::vector<double> ns;
  double pace = 1;        // mean of before and after
  bool is_steady = true;  // false: the pace changed or the device throttled, time and again
  int retakes = 0;
};

// Takes samples between two looks at the pace. Where it changed meanwhile, or the device is throttled, they are dropped
// and taken again, twice at most, after a pause.
[[nodiscard]] PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take);

}  // namespace hiptune
