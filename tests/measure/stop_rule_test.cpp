#include "measure/stop_rule.hpp"

#include <gtest/gtest.h>

namespace hiptune {
namespace {

// Time that passes only when told to.
struct MadeUpClock {
  Nanoseconds now{1e9};
  Clock clock() {
    return [this] { return now; };
  }
};

StopLimits limits() { return {5, 100, Nanoseconds(1000), 0.01}; }

TEST(StopRule, takes_the_minimum_even_when_the_budget_is_gone_at_once) {
  MadeUpClock time;
  StopRule rule(limits(), time.clock());
  rule.start();
  for (int i = 0; i < 4; ++i) {
    time.now += Nanoseconds(1e6);
    rule.add(i);
    EXPECT_FALSE(rule.done());
  }
  rule.add(4);
  EXPECT_TRUE(rule.done());
}

TEST(StopRule, stops_when_the_median_is_known_well_enough) {
  MadeUpClock time;
  StopRule rule(limits(), time.clock());
  rule.start();
  for (int i = 0; i < 5; ++i) rule.add(100);
  EXPECT_TRUE(rule.done());
}

TEST(StopRule, goes_on_while_samples_scatter_and_budget_is_left) {
  MadeUpClock time;
  StopRule rule(limits(), time.clock());
  rule.start();
  for (int i = 0; i < 20; ++i) rule.add(i % 2 == 0 ? 50 : 150);
  EXPECT_FALSE(rule.done());
  time.now += Nanoseconds(1000);
  EXPECT_TRUE(rule.done());
}

TEST(StopRule, never_takes_more_than_the_maximum) {
  MadeUpClock time;
  StopRule rule({5, 6, Nanoseconds(1e9), 0}, time.clock());
  rule.start();
  for (int i = 0; i < 6; ++i) rule.add(i % 2 == 0 ? 50 : 150);
  EXPECT_TRUE(rule.done());
}

TEST(StopRule, starting_again_forgets_samples_and_time) {
  MadeUpClock time;
  StopRule rule(limits(), time.clock());
  rule.start();
  for (int i = 0; i < 5; ++i) rule.add(100);
  time.now += Nanoseconds(5000);
  rule.start();
  EXPECT_TRUE(rule.samples().empty());
  EXPECT_FALSE(rule.done());
}

TEST(StopRule, takes_two_samples_of_what_is_hopeless) {
  StopRule rule({.min_samples = 5, .hopeless_above = 200}, [] { return Nanoseconds(0); });
  rule.start();
  rule.add(300);
  EXPECT_FALSE(rule.done());
  rule.add(400);
  EXPECT_TRUE(rule.done());
  rule.start();
  rule.add(300);
  rule.add(199);
  EXPECT_FALSE(rule.done()) << "one of them was not";
}

}  // namespace
}  // namespace hiptune
