#include "measure/finals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace hiptune {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const Clock kStopped = [] { return Nanoseconds(0); };

// Rounds of noisy times: all of a round share a disturbance, as drift and throttling are shared.
std::vector<Round> rounds_of(const std::vector<double>& times, int count, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::vector<Round> rounds;
  for (int i = 0; i < count; ++i) {
    Round round;
    for (const double time : times) round.emplace_back(time * (1 + i * 0.01) * (1 + noise * normal(random)));
    rounds.push_back(round);
  }
  return rounds;
}

TEST(Finalists, are_those_within_three_percent_in_the_given_order) {
  const std::vector<std::optional<double>> times{130, 102.9, std::nullopt, 100, 103.1, 101, 100.5, 102};
  EXPECT_THAT(choose_finalists(times), ElementsAre(1, 3, 5, 6, 7));
}

TEST(Finalists, are_at_least_four_where_so_many_were_timed) {
  EXPECT_THAT(choose_finalists(std::vector<std::optional<double>>{300, 500, 100, 400, 200}), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(choose_finalists(std::vector<std::optional<double>>{300, std::nullopt, 100}), ElementsAre(0, 2));
}

TEST(Finalists, are_at_most_sixteen_the_fastest) {
  std::vector<std::optional<double>> times;
  for (int i = 0; i < 40; ++i) times.emplace_back(100 + 0.01 * (39 - i));
  const std::vector<std::size_t> chosen = choose_finalists(times);
  EXPECT_EQ(chosen.size(), 16u);
  EXPECT_EQ(chosen.front(), 24u);
  EXPECT_THAT(choose_finalists(std::vector<std::optional<double>>{std::nullopt}), ElementsAre());
}

TEST(Standings, may_be_against_one_who_is_not_the_fastest) {
  const std::vector<std::vector<Round>> one{rounds_of({100, 200, 50}, 100, 0.01, 3)};
  const std::vector<Standing> all = standings_against(1, one);
  EXPECT_EQ(all[1].ratio, 1);
  EXPECT_NEAR(all[0].ratio, 0.5, 0.005);
  EXPECT_NEAR(all[2].ratio, 0.25, 0.005);
  EXPECT_LT(all[2].lower, all[2].upper);
  EXPECT_THROW((void)standings_against(0, {}), std::logic_error);
}

TEST(Standings, are_ratios_to_the_fastest_whatever_the_device_s_drift) {
  const std::vector<std::vector<Round>> one{rounds_of({102, 100, 100.5}, 200, 0.01, 1)};
  const std::vector<Standing> all = standings(one);
  EXPECT_EQ(all[1].ratio, 1);
  EXPECT_NEAR(all[0].ratio, 1.02, 0.005);
  EXPECT_NEAR(all[2].ratio, 1.005, 0.005);
  for (const Standing& standing : all) {
    EXPECT_LE(standing.lower, standing.ratio);
    EXPECT_GE(standing.upper, standing.ratio);
    EXPECT_LT(standing.upper - standing.lower, 0.01);
  }
}

TEST(Standings, cover_the_true_ratio_as_often_as_they_say) {
  int covered = 0;
  constexpr int kRuns = 1000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const std::vector<std::vector<Round>> one{rounds_of({100, 105}, 60, 0.01, seed)};
    const Standing second = standings(one)[1];
    covered += second.lower <= 1.05 && 1.05 <= second.upper;
  }
  EXPECT_GE(covered, 940);
}

TEST(Standings, do_not_mind_outliers) {
  std::vector<Round> rounds = rounds_of({100, 103}, 100, 0.001, 1);
  for (std::size_t i = 0; i < rounds.size(); i += 10) *rounds[i][0] *= 3;
  const std::vector<std::vector<Round>> one{rounds};
  EXPECT_NEAR(standings(one)[1].ratio, 1.03, 0.001);
}

TEST(Standings, are_as_wide_as_processes_differ) {
  const std::vector<std::vector<Round>> two{rounds_of({100, 100.2}, 50, 0.0001, 1),
                                            rounds_of({100, 103}, 50, 0.0001, 2)};
  const Standing second = standings(two)[1];
  EXPECT_LE(second.lower, 1.0021);
  EXPECT_GE(second.upper, 1.0299);
}

TEST(Standings, of_somebody_who_was_left_out_early_are_of_the_rounds_it_was_in) {
  std::vector<Round> rounds = rounds_of({100, 110, 101}, 100, 0.001, 1);
  for (std::size_t i = 12; i < rounds.size(); ++i) rounds[i][1] = std::nullopt;
  const std::vector<std::vector<Round>> one{rounds};
  EXPECT_NEAR(standings(one)[1].ratio, 1.10, 0.002);
}

TEST(Ties, are_what_is_shown_to_be_near_or_not_shown_to_be_slower) {
  EXPECT_TRUE(is_tie({1, 1, 1}, 0.01));
  EXPECT_TRUE(is_tie({1.005, 1.002, 1.008}, 0.01)) << "slower for sure, and by less than 1 % for sure";
  EXPECT_TRUE(is_tie({1.008, 0.99, 1.03}, 0.01)) << "nobody knows";
  EXPECT_FALSE(is_tie({1.02, 0.99, 1.03}, 0.01)) << "nobody knows, but probably not";
  EXPECT_FALSE(is_tie({1.009, 1.006, 1.012}, 0.01));
  EXPECT_TRUE(is_slower({1.05, 1.02, 1.07}, 0.01));
  EXPECT_FALSE(is_slower({1.05, 1.005, 1.07}, 0.01));
}

TEST(Finals, leave_out_who_is_slower_and_end_when_all_others_tie) {
  Finals finals(3, {.min_rounds = 12, .max_rounds = 1000}, 1, kStopped);
  const std::vector<double> times{100, 120, 100.1};
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  int rounds = 0;
  for (; !finals.done(); ++rounds) {
    const std::vector<std::size_t> order = finals.next_order();
    if (rounds >= 12) {
      ASSERT_THAT(order, UnorderedElementsAre(0, 2));
    }
    Round round(3);
    for (const std::size_t i : order) round[i] = times[i] * (1 + 0.01 * normal(random));
    finals.add(round);
  }
  EXPECT_LT(rounds, 500);
  EXPECT_GE(rounds, 12);
}

TEST(Finals, end_with_their_rounds_or_their_budget) {
  // Never decided: its true ratio is the very limit of a tie.
  const auto run = [](const FinalsLimits& limits, const Clock& clock) {
    Finals finals(2, limits, 1, clock);
    std::mt19937_64 random(7);
    std::normal_distribution<> normal;
    while (!finals.done()) finals.add({100 * (1 + 0.01 * normal(random)), 101 * (1 + 0.01 * normal(random))});
    return finals.rounds().size();
  };
  EXPECT_EQ(run({.min_rounds = 5, .max_rounds = 40}, kStopped), 40u);
  double seconds = 0;
  const Clock ticking = [&] { return Nanoseconds(1e9 * (seconds += 0.1)); };
  EXPECT_LT(run({.min_rounds = 5, .max_rounds = 1000, .budget = Nanoseconds(1e9)}, ticking), 14u);
  EXPECT_EQ(run({.min_rounds = 12, .budget = Nanoseconds(0)}, kStopped), 3u) << "rounds that take minutes";
}

TEST(Finals, have_a_new_order_every_round_the_same_for_the_same_seed) {
  Finals one(4, {}, 3, kStopped), same(4, {}, 3, kStopped);
  std::set<std::vector<std::size_t>> orders;
  for (int i = 0; i < 20; ++i) {
    const auto order = one.next_order();
    EXPECT_EQ(order, same.next_order());
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 8u);
}

TEST(Finals, mark_rounds_that_are_a_finalists_outliers) {
  std::vector<Round> rounds;
  for (int i = 0; i < 12; ++i) rounds.push_back({100 + 0.1 * (i % 3), 200 + 0.1 * (i % 4)});
  rounds[2][0] = std::nullopt;
  rounds[7][0] = 150;
  EXPECT_EQ(outlier_rounds(rounds, 0), std::vector<std::size_t>{7});
  EXPECT_TRUE(outlier_rounds(rounds, 1).empty());
}

}  // namespace
}  // namespace hiptune
