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
  // Of each mode, for StopLimits::hopeless_above: the search goes on to other variants.
  std::optional<double> hopeless_cold, hopeless_warm;
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

  // What one sample is of.
  struct Batch {
    std::size_t sets;  // rotated over
    bool flush;
    int launches;
  };
  // Warms up, and finds out how many launches a sample needs.
  [[nodiscard]] Batch cold_batch(const LaunchOver& launch);
  [[nodiscard]] Batch warm_batch(const LaunchOver& launch);
  // One sample: nanoseconds per launch.
  [[nodiscard]] double sample(const LaunchOver& launch, const Batch& batch);

 private:
  [[nodiscard]] std::vector<double> samples(const LaunchOver& launch, const Batch& batch,
                                            std::optional<double> hopeless_above);
  [[nodiscard]] Batch warm_up(const LaunchOver& launch, Batch single);
  [[nodiscard]] DeviceTime try_batch(const LaunchOver& launch, const Batch& batch);
  // Of as many tries as it takes until the device was not late.
  [[nodiscard]] Nanoseconds time(const LaunchOver& launch, const Batch& batch);
  [[nodiscard]] int batch_size(Nanoseconds per_launch, const Batch& single) const;
  void restore(const Batch& batch);

  Device* device_;
  Rotation* rotation_;
  TimingLimits limits_;
  Clock clock_;
  std::size_t next_ = 0;  // set of the next launch, so that the rotation goes on between batches
};

[[nodiscard]] Clock steady_clock();

}  // namespace hiptune
