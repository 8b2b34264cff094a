#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// A device at one moment.
struct Look {
  double pace = 1;                  // time of the reference over its first time: 1.05 is 5 % slower
  std::optional<double> clock_mhz;  // right after the reference; none: it cannot be read
};

// How slow a device is, as the time of one fixed piece of work tells, against the first look, and as its clock tells.
// The work is a copy, which memory bounds: that the cores are throttled shows in their clock alone. The clock is read
// right after the work, since a device that idles clocks down. Times are not scaled by it: how much a variant depends
// on it is not known.
class Pace {
 public:
  // `reference` does the work once and returns its time. `pause` lets the device recover from throttling. `clock_mhz`
  // is as Device::clock_mhz. Takes some samples to learn how noisy the device is.
  Pace(
      std::function<Nanoseconds()> reference, std::function<void()> pause,
      std::function<std::optional<double>()> clock_mhz = [] { return std::nullopt; });

  // Takes a few samples of the reference now.
  [[nodiscard]] Look now();
  // Whether the pace changed between two looks by more than 3 %, or the clock fell by more than 5 %; or by more than
  // noise explains. A clock that rose shows nothing: it does so after a compilation, when the device has idled.
  [[nodiscard]] bool has_changed(const Look& before, const Look& after) const;
  // Whether the pace is slower or the clock lower than it was in this run: by 10 %, or more than noise explains. Of the
  // clocks the later, as the earlier may be that of a device which has idled.
  [[nodiscard]] bool is_throttled(const Look& before, const Look& after) const;
  // Lets the device recover before samples are taken again. False: that was done so often that it takes more time than
  // it is worth, 4 times and once for every 10 looks.
  [[nodiscard]] bool pause();
  // Takes the device as it is now: what it does is what it can do, and such changes are its noise. So are those of the
  // clock where variants load the device to its limit of power and lower it themselves: after half a second of matrix
  // products the H200 shows 1485 MHz, 1980 before, and for 100 ms more.
  void settle(const Look& before, const Look& after);

 private:
  std::function<Nanoseconds()> reference_;
  std::function<void()> pause_;
  std::function<std::optional<double>()> clock_mhz_;
  double first_ = 0;       // nanoseconds
  double noise_ = 0;       // of a look: its standard error, as a share
  double usual_drop_ = 0;  // of the clock between two looks, as a share: up to it is noise
  Look latest_, best_;     // best: of either, at any time
  int looks_ = 0, pauses_ = 0;
};

// The device's clock before and after samples.
struct ClockSpan {
  double before_mhz = 0;
  double after_mhz = 0;
};

// Samples, and what the device's pace was meanwhile.
struct PacedSamples {
  std::vector<double> ns;
  double pace = 1;                 // mean of before and after
  std::optional<ClockSpan> clock;  // none: it cannot be read
  bool is_steady = true;           // false: the pace changed or the device throttled, time and again
  int retakes = 0;
};

// Takes samples between two looks at the device. Where it changed meanwhile, or the device is throttled, they are
// dropped and taken again, twice at most, after a pause.
[[nodiscard]] PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take);

}  // namespace hiptune
