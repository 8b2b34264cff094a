#pragma once

#include <functional>

#include "measure/rotation.hpp"
#include "measure/stop_rule.hpp"

namespace hiptune {

struct TimingLimits {
  StopLimits stop;
  int warmups = 2;              // launches before the first sample of each mode
  Nanoseconds min_batch{1e5};   // a sample spans at least so much device time…
  int max_batch = 10000;        // …or so many launches
  std::optional<int> launches;  // exactly so many launches per sample instead
};

// Puts one launch on the stream, over the given set of the rotation.
using LaunchOver = std::function<void(std::size_t set, Stream)>;

// Device nanoseconds per launch, one number per sample, in the order taken.
struct Samples {
  std::vector<double> cold;
  std::vector<double> warm;
};

// Times launches cold (rotating over all sets) and warm (over one set). With in-out buffers a batch launches once per
// set, and sets are restored between batches, untimed.
class Timer {
 public:
  Timer(Device& device, Rotation& rotation, const TimingLimits& limits, Clock clock);

  [[nodiscard]] std::vector<double> cold(const LaunchOver& launch);
  [[nodiscard]] std::vector<double> warm(const LaunchOver& launch);

 private:
  struct Mode {
    std::size_t sets;  // rotated over
    bool flush;
  };
  [[nodiscard]] std::vector<double> sample(const LaunchOver& launch, const Mode& mode);
  [[nodiscard]] DeviceTime try_batch(const LaunchOver& launch, const Mode& mode, int launches);
  // Of as many tries as it takes until the device was not late.
  [[nodiscard]] Nanoseconds batch(const LaunchOver& launch, const Mode& mode, int launches);
  [[nodiscard]] int batch_size(Nanoseconds per_launch, const Mode& mode) const;
  void restore(const Mode& mode, int launches);

  Device* device_;
  Rotation* rotation_;
  TimingLimits limits_;
  Clock clock_;
  std::size_t next_ = 0;  // set of the next launch, so that the rotation goes on between batches
};

[[nodiscard]] Clock steady_clock();

}  // namespace hiptune
