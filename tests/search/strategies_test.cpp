#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hiptune/error.hpp"
#include "search/strategy.hpp"

namespace hiptune {
namespace {

std::vector<Assignment> candidates(int count) {
  std::vector<Assignment> all;
  for (int i = 0; i < count; ++i) all.push_back({{"BLOCK_SIZE", std::int64_t{i}}});
  return all;
}

std::vector<std::string> drain(Strategy& strategy) {
  std::vector<std::string> asked;
  while (const auto config = strategy.ask()) {
    asked.push_back(to_string(*config));
    strategy.tell(*config, 1.0);
  }
  return asked;
}

std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (const Assignment& config : candidates(count)) all.push_back(to_string(config));
  return all;
}

TEST(Strategies, exhaustive_asks_for_everything_in_the_space_s_order) {
  EXPECT_EQ(drain(*make_strategy("exhaustive", {candidates(7), 0, std::nullopt})), names(7));
}

TEST(Strategies, random_asks_for_everything_once_in_another_order) {
  const auto asked = drain(*make_strategy("random", {candidates(50), 3, std::nullopt}));
  EXPECT_THAT(asked, ::testing::UnorderedElementsAreArray(names(50)));
  EXPECT_NE(asked, names(50));
}

TEST(Strategies, a_seed_means_the_same_order_each_time) {
  const auto run = [](std::uint64_t seed) { return drain(*make_strategy("random", {candidates(50), seed, 10})); };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
  EXPECT_EQ(run(3).size(), 10U);
}

TEST(Strategies, none_asks_for_more_trials_than_allowed_or_there_are) {
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_EQ(drain(*entry.make({candidates(5), 1, 2})).size(), 2U) << entry.name;
    EXPECT_EQ(drain(*entry.make({candidates(5), 1, 100})).size(), 5U) << entry.name;
    EXPECT_TRUE(drain(*entry.make({{}, 1, std::nullopt})).empty()) << entry.name;
  }
}

TEST(Strategies, an_unknown_one_is_bad_input_that_names_those_there_are) {
  try {
    (void)make_strategy("genetic", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("exhaustive, random, covering"));
  }
}

TEST(Strategies, what_is_ahead_is_what_is_asked_for_next) {
  for (const StrategyEntry& entry : strategies()) {
    const auto strategy = make_strategy(entry.name, {candidates(5), 3, std::nullopt});
    while (true) {
      const std::vector<Assignment> ahead = strategy->ahead(2);
      EXPECT_LE(ahead.size(), 2U);
      const auto next = strategy->ask();
      if (!next) break;
      if (!ahead.empty()) {
        EXPECT_EQ(ahead.front(), *next) << entry.name;
      }
      strategy->tell(*next, 1.0);
    }
    EXPECT_TRUE(strategy->ahead(2).empty());
  }
}

TEST(Strategies, a_list_is_known_ahead_to_its_end) {
  const auto strategy = make_strategy("random", {candidates(4), 3, 3});
  EXPECT_EQ(strategy->ahead(10).size(), 3U);
  (void)strategy->ask();
  EXPECT_EQ(strategy->ahead(10).size(), 2U);
}

}  // namespace
}  // namespace hiptune
