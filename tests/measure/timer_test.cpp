#include "measure/timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_device.hpp"

namespace hiptune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

const std::vector<BufferLayout> kLayouts{{{1, 16, Dtype::f32}, 16, 0, 64}};

struct Fixture {
  MadeUpDevice device;
  std::vector<std::size_t> restored;
  std::vector<std::size_t> launched;
  TimingLimits limits;

  Rotation rotation(std::size_t sets, bool inout = false, std::size_t flush = 0) {
    return {
        device, kLayouts, {sets, flush}, inout, [this](const BufferSet&, std::size_t set) { restored.push_back(set); }};
  }
  Timer timer(Rotation& rotation) {
    return {device, rotation, limits, [this] { return device.now; }};
  }
  // Launches take `cost` each.
  LaunchOver launch(double cost) {
    return [this, cost](std::size_t set, Stream) {
      launched.push_back(set);
      device.now += Nanoseconds(cost);
    };
  }
};

TEST(Timer, reports_time_per_launch_however_many_a_sample_needs) {
  Fixture f;
  f.limits.min_batch = Nanoseconds(1000);
  Rotation rotation = f.rotation(3);
  const auto samples = f.timer(rotation).warm(f.launch(10));
  EXPECT_THAT(samples, Each(10.0));
  // Two warm-ups, a sample that does not count, then 1000 / 10 launches a sample.
  EXPECT_EQ(f.launched.size(), 2 + 100 * (1 + samples.size()));
}

// Slow as an idle device is, until it was busy for so long.
TEST(Timer, leads_samples_of_short_kernels_with_as_much_that_does_not_count) {
  Fixture f;
  Rotation rotation = f.rotation(1);
  const Nanoseconds busy_from = f.device.now + f.limits.min_batch;
  const LaunchOver launch = [&](std::size_t, Stream) {
    f.device.now += Nanoseconds(f.device.now < busy_from ? 11000 : 10000);
  };
  EXPECT_THAT(f.timer(rotation).cold(launch), Each(10000));
}

TEST(Timer, leads_a_sample_after_others_launches_by_16_batches_at_most) {
  Fixture f;
  f.limits.min_batch = Nanoseconds(1000);
  Rotation rotation = f.rotation(3);
  Timer timer = f.timer(rotation);
  EXPECT_EQ(timer.led_sample(f.launch(100), {1, false, 5}), 100);
  EXPECT_EQ(f.launched.size(), 2 * 5 + 5);
  f.launched.clear();
  EXPECT_EQ(timer.led_sample(f.launch(10), {3, false, 2}), 10);
  EXPECT_EQ(f.launched.size(), 16 * 2 + 2);
}

TEST(Timer, warm_stays_on_one_set_and_cold_goes_round) {
  Fixture f;
  f.limits.launches = 1;
  f.limits.stop.max_samples = 5;
  Rotation rotation = f.rotation(3);
  (void)f.timer(rotation).warm(f.launch(10));
  EXPECT_THAT(f.launched, Each(0U));
  f.launched.clear();
  (void)f.timer(rotation).cold(f.launch(10));
  EXPECT_THAT(f.launched, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(Timer, takes_at_least_five_samples_of_a_slow_kernel) {
  Fixture f;
  Rotation rotation = f.rotation(1);
  EXPECT_THAT(f.timer(rotation).cold(f.launch(1e12)), SizeIs(5));
}

TEST(Timer, does_not_time_the_warm_ups) {
  Fixture f;
  f.limits.launches = 1;
  Rotation rotation = f.rotation(1);
  int count = 0;
  const auto samples = f.timer(rotation).warm(
      [&](std::size_t, Stream) { f.device.now += Nanoseconds(count++ < f.limits.warmups ? 1e6 : 10); });
  EXPECT_THAT(samples, Each(10.0));
}

TEST(Timer, takes_a_late_sample_again_with_buffers_restored_anew) {
  Fixture f;
  f.limits.launches = 1;
  f.limits.stop.min_samples = f.limits.stop.max_samples = 5;
  Rotation rotation = f.rotation(4, true);
  f.restored.clear();
  f.device.late = 3;
  EXPECT_THAT(f.timer(rotation).warm(f.launch(10)), ElementsAre(10, 10, 10, 10, 10));
  EXPECT_EQ(f.device.timed, 2 + 5 + 3);
  EXPECT_EQ(f.restored, f.launched);
}

TEST(Timer, ends_on_a_device_that_is_always_late) {
  Fixture f;
  f.limits.launches = 1;
  f.device.late = 1000000;
  Rotation rotation = f.rotation(1);
  EXPECT_THAT(f.timer(rotation).warm(f.launch(10)), Each(1e6 + 10));
}

TEST(Timer, restores_in_out_buffers_before_every_batch_and_launches_once_per_set) {
  Fixture f;
  f.limits.min_batch = Nanoseconds(1e6);
  Rotation rotation = f.rotation(4, true);
  f.restored.clear();
  const auto samples = f.timer(rotation).cold(f.launch(10));
  EXPECT_EQ(f.restored, f.launched);
  constexpr std::size_t kLeading = 16;  // not long enough even so
  EXPECT_EQ(f.launched.size(), 2 + 4 * (kLeading + samples.size()));
}

TEST(Timer, flushes_before_every_round_and_does_not_time_it) {
  Fixture f;
  f.limits.min_batch = Nanoseconds(1e6);
  Rotation rotation = f.rotation(2, false, 4096);
  const int before = f.device.fills;
  const auto samples = f.timer(rotation).cold(f.launch(10));
  constexpr std::size_t kLeading = 16;  // not long enough even so
  EXPECT_EQ(f.device.fills - before, static_cast<int>(2 + kLeading + samples.size()));
  EXPECT_THAT(samples, Each(10.0));
}

}  // namespace
}  // namespace hiptune
