#include "measure/pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

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
  EXPECT_EQ(f.pace.now(), 1);
  f.reference = 105;
  EXPECT_DOUBLE_EQ(f.pace.now(), 1.05);
  f.reference = 50;
  EXPECT_DOUBLE_EQ(f.pace.now(), 0.5);
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
  EXPECT_EQ(pace.now(), 1);
  EXPECT_DOUBLE_EQ(pace.now(), 1.01);
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

}  // namespace
}  // namespace hiptune
