#pragma once

#include <functional>

#include "measure/rotation.hpp"
#include "measure/stop_rule.hpp"

namespace hiptune {

struct TimingLimits {
  StopLimits stop;
  int warmups = 2;  // launches before the first sample of each mode
  // A sample spans at least so much device time. A GPU that is busy is faster: a copy that an H200 does in 257 us takes
  // 280 where there is one in 20 ms, and the second millisecond in a row is as fast as any.
  Nanoseconds min_batch{1e6};
  int max_batch = 10000;        // or so many launches
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
  // The same after another's launches, or a pause: some that do not count come first, as a cache may hold for a while
  // what it was told to keep.
  [[nodiscard]] double led_sample(const LaunchOver& launch, const Batch& batch);

 private:
  [[nodiscard]] std::vector<double> samples(const LaunchOver& launch, const Batch& batch,
                                            std::optional<double> hopeless_above);
  [[nodiscard]] Batch warm_up(const LaunchOver& launch, Batch single);
  // As much device time as a sample needs, which does not count.
  void lead(const LaunchOver& launch, const Batch& batch);
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
