#include "measure/pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "simulated_device.hpp"

namespace hiptune {
namespace {

using ::testing::ElementsAre;

// A device whose reference takes what a test says, three samples at a time.
struct Fixture {
  double reference = 100;
  int pauses = 0;
  std::function<void()> on_pause = [] {};
  Pace pace{[this] { return Nanoseconds(reference); },
            [this] {
              ++pauses;
              on_pause();
            }};
};

TEST(Pace, is_one_at_first_and_then_against_that) {
  Fixture f;
  EXPECT_EQ(f.pace.now().pace, 1);
  f.reference = 105;
  EXPECT_DOUBLE_EQ(f.pace.now().pace, 1.05);
  f.reference = 50;
  EXPECT_DOUBLE_EQ(f.pace.now().pace, 0.5);
}

TEST(Pace, one_outlier_of_three_does_not_count) {
  std::deque<double> times(9, 100.0);
  times.insert(times.end(), {100, 100, 100, 900, 100, 101});
  Pace pace(
      [&] {
        const Nanoseconds time(times.front());
        times.pop_front();
        return time;
      },
      [] {});
  EXPECT_EQ(pace.now().pace, 1);
  EXPECT_DOUBLE_EQ(pace.now().pace, 1.01);
}

TEST(PacedSamples, are_taken_once_where_the_device_is_steady) {
  Fixture f;
  const PacedSamples taken = take_paced(f.pace, [] { return std::vector{1.0, 2.0}; });
  EXPECT_THAT(taken.ns, ElementsAre(1, 2));
  EXPECT_TRUE(taken.is_steady);
  EXPECT_EQ(taken.retakes, 0);
  EXPECT_EQ(f.pauses, 0);
}

TEST(PacedSamples, are_taken_again_where_the_pace_changed_meanwhile) {
  Fixture f;
  int takes = 0;
  const PacedSamples taken = take_paced(f.pace, [&] {
    if (++takes == 1) f.reference *= 1.05;
    return std::vector{1.0 * takes};
  });
  EXPECT_THAT(taken.ns, ElementsAre(2));
  EXPECT_TRUE(taken.is_steady);
  EXPECT_EQ(taken.retakes, 1);
  EXPECT_DOUBLE_EQ(taken.pace, 1.05);
}

TEST(PacedSamples, of_a_noisy_device_are_not_taken_again_for_its_noise) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  Pace pace([&] { return Nanoseconds(100 * (1 + 0.1 * normal(random))); }, [] {});
  int retakes = 0;
  for (int i = 0; i < 200; ++i) retakes += take_paced(pace, [] { return std::vector{1.0}; }).retakes;
  EXPECT_LT(retakes, 20);
}

TEST(PacedSamples, of_a_device_that_jumps_about_are_taken_again_for_the_first_few_only) {
  Fixture f;
  int takes = 0;
  const auto jump = [&] {
    f.reference = ++takes % 2 == 0 ? 100 : 150;
    return std::vector{1.0};
  };
  EXPECT_FALSE(take_paced(f.pace, jump).is_steady);
  int retakes = 0;
  for (int i = 0; i < 20; ++i) retakes += take_paced(f.pace, jump).retakes;
  EXPECT_LE(retakes, 4);
}

TEST(PacedSamples, wait_for_a_throttled_device) {
  Fixture f;
  (void)f.pace.now();
  f.reference = 130;
  f.on_pause = [&] { f.reference = 100; };
  const PacedSamples taken = take_paced(f.pace, [] { return std::vector{1.0}; });
  EXPECT_TRUE(taken.is_steady);
  EXPECT_EQ(taken.retakes, 1);
  EXPECT_EQ(taken.pace, 1);
}

TEST(PacedSamples, of_a_device_that_is_never_steady_are_not_taken_again_for_ever) {
  Fixture f;
  int takes = 0, retakes = 0;
  double step = 1.04;  // ever larger, so that what was learned as noise never explains it
  for (int i = 0; i < 100; ++i) {
    const auto jump = [&] {
      f.reference = ++takes % 2 == 0 ? 100 : 100 * (step *= 1.02);
      return std::vector{1.0};
    };
    retakes += take_paced(f.pace, jump).retakes;
  }
  EXPECT_LE(retakes, 4 + 2 * takes / 10);
  EXPECT_GT(retakes, 4);
}

TEST(PacedSamples, of_a_device_that_stays_slow_say_so_once_and_then_take_it_as_it_is) {
  Fixture f;
  (void)f.pace.now();
  f.reference = 130;
  const PacedSamples first = take_paced(f.pace, [] { return std::vector{1.0}; });
  EXPECT_FALSE(first.is_steady);
  EXPECT_EQ(first.retakes, 2);
  const PacedSamples second = take_paced(f.pace, [] { return std::vector{1.0}; });
  EXPECT_TRUE(second.is_steady);
  EXPECT_EQ(second.retakes, 0);
  EXPECT_DOUBLE_EQ(second.pace, 1.3);
}

TEST(PacedSamples, have_no_clock_where_none_can_be_read) {
  Fixture f;
  EXPECT_FALSE(take_paced(f.pace, [] { return std::vector{1.0}; }).clock);
}

// Its cores throttle from the 1st second on, until the 2nd where nothing else is said, and a copy shows nothing of it.
struct CoreThrottled {
  explicit CoreThrottled(double until = 2, double noise = 0)
      : device({.noise = noise,
                .throttled_from = 1,
                .throttled_until = until,
                .throttled_by = 1.25,
                .throttles_copies = false,
                .clock_mhz = 2000},
               1) {}

  // A variant that takes a microsecond where it may, at a time of the run.
  PacedSamples take(double from_second, double to_second) {
    device.now = std::max(device.now, Nanoseconds(from_second * 1e9));
    return take_paced(pace, [&] {
      const double ns = device.time([&](Stream) { device.now += Nanoseconds(1000); }).time.count();
      device.now = std::max(device.now, Nanoseconds(to_second * 1e9));
      return std::vector{ns};
    });
  }

  test::SimulatedDevice device;
  double seconds_per_pause = 0.6;
  Pace pace{[this] { return device.time_copy(Nanoseconds(1e5)).time; },
            [this] { device.now += Nanoseconds(seconds_per_pause * 1e9); }, [this] { return device.clock_mhz(); }};
};

TEST(PacedSamples, say_what_the_clock_was) {
  CoreThrottled f;
  const PacedSamples taken = f.take(0, 0.5);
  ASSERT_TRUE(taken.clock);
  EXPECT_EQ(taken.clock->before_mhz, 2000);
  EXPECT_EQ(taken.clock->after_mhz, 2000);
  EXPECT_EQ(taken.retakes, 0);
}

TEST(PacedSamples, are_taken_again_where_the_clock_fell_meanwhile) {
  CoreThrottled f;
  const PacedSamples taken = f.take(0.9, 1.1);
  EXPECT_TRUE(taken.is_steady);
  EXPECT_EQ(taken.retakes, 2) << "the device throttled for two pauses";
  EXPECT_THAT(taken.ns, ElementsAre(1000));
  EXPECT_EQ(taken.clock->after_mhz, 2000);
}

TEST(PacedSamples, are_taken_again_where_the_clock_fell_before_them) {
  CoreThrottled f;
  (void)f.take(0, 0.5);
  const PacedSamples taken = f.take(1.5, 1.6);
  EXPECT_TRUE(taken.is_steady);
  EXPECT_EQ(taken.retakes, 1);
  EXPECT_THAT(taken.ns, ElementsAre(1000));
}

TEST(PacedSamples, of_a_device_whose_clock_stays_low_say_so_once_and_then_take_it_as_it_is) {
  CoreThrottled f(1e30);
  (void)f.take(0, 0.5);
  const PacedSamples first = f.take(1.5, 1.6);
  EXPECT_FALSE(first.is_steady);
  EXPECT_EQ(first.retakes, 2);
  EXPECT_EQ(first.clock->after_mhz, 1600);
  const PacedSamples second = f.take(4, 5);
  EXPECT_TRUE(second.is_steady);
  EXPECT_EQ(second.retakes, 0);
  EXPECT_EQ(second.clock->after_mhz, 1600) << "for the journal's reader";
}

// A device whose clock is what a test says.
struct Clocked {
  double mhz = 2000;
  int takes = 0;
  std::function<void()> on_pause = [] {};
  Pace pace{[] { return Nanoseconds(100); }, [this] { on_pause(); }, [this] { return mhz; }};
  PacedSamples take(double before, double after) {
    mhz = before;
    return take_paced(pace, [&, after] {
      ++takes;
      mhz = after;
      return std::vector{1.0};
    });
  }
};

TEST(PacedSamples, are_not_taken_again_because_an_idle_device_clocks_up) {
  Clocked f;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(f.take(345, 1980).is_steady);
  EXPECT_EQ(f.takes, 20);
}

TEST(PacedSamples, are_not_taken_again_for_a_few_steps_of_the_clock) {
  Clocked f;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(f.take(2000, 1920).is_steady);
  EXPECT_EQ(f.takes, 20);
}

TEST(PacedSamples, of_variants_that_all_lower_the_clock_are_taken_again_for_the_first_few_only) {
  Clocked f;
  f.on_pause = [&] { f.mhz = 2000; };
  EXPECT_FALSE(f.take(2000, 1500).is_steady);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(f.take(2000, 1500).is_steady);
  EXPECT_EQ(f.takes, 3 + 20);
}

TEST(PacedSamples, of_a_device_with_a_noisy_clock_are_not_taken_again_for_its_noise) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  Pace pace([] { return Nanoseconds(100); }, [] {}, [&] { return 2000 * (1 + 0.05 * normal(random)); });
  int retakes = 0;
  for (int i = 0; i < 200; ++i) retakes += take_paced(pace, [] { return std::vector{1.0}; }).retakes;
  EXPECT_LT(retakes, 20);
}

}  // namespace
}  // namespace hiptune
