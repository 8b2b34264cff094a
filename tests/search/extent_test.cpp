#include "search/extent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hiptune {
namespace {

using testing::Optional;

TEST(ExtentOfSearch, a_small_space_is_tried_entirely_on_every_device) {
  for (const bool on_cpu : {false, true}) {
    const Extent extent = extent_of_search(std::nullopt, std::nullopt, 256, on_cpu);
    EXPECT_EQ(extent.strategy, "exhaustive");
    EXPECT_EQ(extent.max_trials, std::nullopt);
    EXPECT_FALSE(extent.leaves_out_of(256));
  }
}

TEST(ExtentOfSearch, of_a_larger_one_a_part_is_covered_by_default) {
  for (const bool on_cpu : {false, true}) {
    const Extent extent = extent_of_search(std::nullopt, std::nullopt, 257, on_cpu);
    EXPECT_EQ(extent.strategy, "covering");
    EXPECT_THAT(extent.max_trials, Optional(on_cpu ? 16U : 256U));
    EXPECT_TRUE(extent.is_default);
    EXPECT_TRUE(extent.leaves_out_of(257));
  }
}

TEST(ExtentOfSearch, a_number_of_trials_that_is_given_holds_whatever_the_strategy) {
  const Extent extent = extent_of_search(std::nullopt, 1000, 2000, true);
  EXPECT_EQ(extent.strategy, "covering");
  EXPECT_THAT(extent.max_trials, Optional(1000U));
  EXPECT_FALSE(extent.is_default);
  EXPECT_THAT(extent_of_search(std::nullopt, 10, 20, true).max_trials, Optional(10U));
  EXPECT_THAT(extent_of_search("random", 1000, 2000, false).max_trials, Optional(1000U));
}

TEST(ExtentOfSearch, a_strategy_that_is_asked_for_goes_on_to_the_end) {
  for (const char* strategy : {"exhaustive", "random", "covering"}) {
    const Extent extent = extent_of_search(strategy, std::nullopt, 2000, true);
    EXPECT_EQ(extent.strategy, strategy);
    EXPECT_EQ(extent.max_trials, std::nullopt);
    EXPECT_FALSE(extent.is_default);
  }
}

TEST(ExtentOfSearch, a_limit_that_is_not_reached_leaves_nothing_out) {
  EXPECT_FALSE(extent_of_search(std::nullopt, 100, 100, true).leaves_out_of(100));
  EXPECT_TRUE(extent_of_search(std::nullopt, 99, 100, true).leaves_out_of(100));
}

}  // namespace
}  // namespace hiptune
