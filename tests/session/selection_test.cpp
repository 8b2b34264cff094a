#include "session/selection.hpp"

#include <gtest/gtest.h>

namespace hiptune {
namespace {

// Nine samples around `median`, half of them within `spread` of it. Warm times stand apart from the cold ones.
Trial timed(double median, double spread, double warm = 50) {
  Trial trial;
  trial.outcome = Outcome::timed;
  Samples samples;
  for (int i = -4; i <= 4; ++i) samples.cold.push_back(median + spread * i / 2);
  samples.warm.assign(9, warm);
  trial.samples = samples;
  return trial;
}

Trial wrong() {
  Trial trial;
  trial.outcome = Outcome::wrong;
  return trial;
}

using Indices = std::vector<std::size_t>;

TEST(Selection, takes_the_fastest_where_it_stands_apart) {
  const auto selection = select({timed(130, 1), timed(100, 1), timed(120, 1)}, Objective::cold);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->winner, 1u);
  EXPECT_EQ(selection->ties, Indices{});
}

TEST(Selection, gives_a_tie_to_the_first_in_order) {
  const auto selection = select({timed(150, 1), timed(100.5, 1), timed(100, 1), timed(100.2, 1)}, Objective::cold);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->winner, 1u) << "not the fastest, but the space's first of those that cannot be told apart";
  EXPECT_EQ(selection->ties, (Indices{2, 3}));
}

TEST(Selection, ties_within_one_percent_only_however_wide_the_spread) {
  const auto selection = select({timed(101.1, 50), timed(100, 50), timed(100.9, 50)}, Objective::cold);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->winner, 1u);
  EXPECT_EQ(selection->ties, Indices{2});
}

TEST(Selection, tells_apart_what_was_measured_well_enough) {
  const auto selection = select({timed(100.5, 0.01), timed(100, 0.01)}, Objective::cold);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->winner, 1u);
  EXPECT_EQ(selection->ties, Indices{});
}

TEST(Selection, keeps_at_most_eight_the_fastest_ones) {
  std::vector<Trial> trials;
  for (int i = 0; i < 12; ++i) trials.push_back(timed(100 + 0.01 * (11 - i), 5));
  const auto selection = select(trials, Objective::cold);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->winner, 4u);
  EXPECT_EQ(selection->ties, (Indices{5, 6, 7, 8, 9, 10, 11}));
}

TEST(Selection, decides_by_the_objective) {
  const std::vector<Trial> trials{timed(100, 1, 90), timed(200, 1, 40)};
  EXPECT_EQ(select(trials, Objective::cold)->winner, 0u);
  EXPECT_EQ(select(trials, Objective::warm)->winner, 1u);
}

TEST(Selection, of_finals_is_the_first_that_ties_and_not_the_fastest) {
  const std::vector<Standing> standings{{1.05, 1.04, 1.06}, {1.004, 1.001, 1.008}, {1, 1, 1}, {1.02, 1.01, 1.03}};
  const Selection selection =
      select(std::vector<Trial>(10, timed(100, 1)), Objective::cold, {3, 5, 8, 9}, standings, 0.01);
  EXPECT_EQ(selection.winner, 5u);
  EXPECT_EQ(selection.ties, Indices{8});
}

TEST(Selection, of_finals_keeps_the_eight_fastest_of_those_that_tie) {
  std::vector<std::size_t> finalists;
  std::vector<Standing> standings;
  for (std::size_t i = 0; i < 12; ++i) {
    finalists.push_back(i);
    standings.push_back({1 + 0.0005 * static_cast<double>(11 - i), 1, 1.009});
  }
  const Selection selection =
      select(std::vector<Trial>(12, timed(100, 1)), Objective::cold, finalists, standings, 0.01);
  EXPECT_EQ(selection.winner, 4u);
  EXPECT_EQ(selection.ties, (Indices{5, 6, 7, 8, 9, 10, 11}));
}

// Cold times tie; of warm ones 50.4 is within 1 % of the shortest, and 60 is not.
TEST(Selection, gives_a_tie_to_the_first_that_is_fast_in_the_other_mode_too) {
  const std::vector<Trial> trials{timed(100.2, 1, 60), timed(100, 1, 50.4), timed(100.1, 1, 50), timed(200, 1, 20)};
  const auto searched = select(trials, Objective::cold);
  ASSERT_TRUE(searched);
  EXPECT_EQ(searched->winner, 1u);
  EXPECT_EQ(searched->ties, (Indices{0, 2}));
  const std::vector<Standing> standings{{1.002, 0.99, 1.008}, {1, 1, 1}, {1.001, 0.99, 1.008}};
  const Selection finals = select(trials, Objective::cold, {0, 1, 2}, standings, 0.01);
  EXPECT_EQ(finals.winner, 1u);
  EXPECT_EQ(finals.ties, (Indices{0, 2}));
}

TEST(Selection, passes_over_no_tie_whose_other_times_are_in_doubt) {
  std::vector<Trial> trials{timed(100, 1, 52), timed(100, 1, 50)};
  EXPECT_EQ(select(trials, Objective::cold)->winner, 1u);
  trials[0].samples->warm = {44, 46, 48, 50, 52, 54, 56, 58, 60};
  EXPECT_EQ(select(trials, Objective::cold)->winner, 0u);
}

TEST(Selection, of_ties_in_warm_times_the_cold_ones_decide) {
  EXPECT_EQ(select({timed(120, 1, 50), timed(100, 1, 50)}, Objective::warm)->winner, 1u);
}

TEST(Selection, leaves_out_what_was_not_timed) {
  EXPECT_EQ(select({wrong(), timed(100, 1), wrong()}, Objective::cold)->winner, 1u);
  EXPECT_FALSE(select({wrong(), wrong()}, Objective::cold));
  EXPECT_FALSE(select({}, Objective::cold));
}

}  // namespace
}  // namespace hiptune
