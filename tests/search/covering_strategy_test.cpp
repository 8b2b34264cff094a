#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "search/covering.hpp"
#include "search/strategy.hpp"

namespace hiptune {
namespace {

std::vector<Assignment> space(std::int64_t values) {
  std::vector<Assignment> all;
  for (std::int64_t a = 0; a < values; ++a)
    for (std::int64_t b = 0; b < values; ++b)
      for (std::int64_t c = 0; c < values; ++c)
        for (std::int64_t d = 0; d < values; ++d) all.push_back({{"A", a}, {"B", b}, {"C", c}, {"D", d}});
  return all;
}

// Made up: one value of each tunable is best, and D matters little.
double time_of(const Assignment& config) {
  const auto off = [&](std::size_t tunable, double best) {
    return std::abs(static_cast<double>(std::get<std::int64_t>(config[tunable].second)) - best);
  };
  return 100 + 10 * off(0, 3) + 5 * off(1, 1) + 2 * off(2, 4) + 0.1 * off(3, 2);
}

std::vector<Assignment> asked(const std::vector<Assignment>& candidates, std::uint64_t seed,
                              std::optional<std::size_t> max_trials) {
  const auto strategy = make_strategy("covering", {candidates, seed, max_trials});
  std::vector<Assignment> order;
  while (const auto config = strategy->ask()) {
    order.push_back(*config);
    strategy->tell(*config, time_of(*config));
  }
  return order;
}

TEST(CoveringStrategy, begins_with_a_covering_set_and_then_takes_each_of_the_rest_once) {
  const auto all = space(5);
  const auto order = asked(all, 7, std::nullopt);
  const auto covering = pairwise_covering(all);
  ASSERT_LT(covering.size(), 60U);
  EXPECT_TRUE(std::equal(covering.begin(), covering.end(), order.begin()));
  EXPECT_THAT(order, testing::UnorderedElementsAreArray(all));
}

TEST(CoveringStrategy, a_seed_decides_the_order_of_the_rest_alone) {
  const auto all = space(5);
  const std::size_t covering = pairwise_covering(all).size();
  const auto one = asked(all, 7, covering + 20), other = asked(all, 8, covering + 20);
  EXPECT_EQ(one, asked(all, 7, covering + 20));
  EXPECT_NE(one, other);
  EXPECT_TRUE(std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(covering), other.begin()));
}

TEST(CoveringStrategy, the_rest_is_not_in_the_space_s_order) {
  const auto all = space(5);
  const auto order = asked(all, 7, std::nullopt);
  const std::vector<Assignment> rest(order.begin() + static_cast<std::ptrdiff_t>(pairwise_covering(all).size()),
                                     order.end());
  EXPECT_FALSE(std::ranges::is_sorted(
      rest, {}, [&](const Assignment& config) { return std::ranges::find(all, config) - all.begin(); }));
}

// Of 2401 configurations 49 are needed for all pairs; with that many trials each best pair has been seen.
TEST(CoveringStrategy, few_trials_find_what_is_nearly_the_best_on_made_up_timings) {
  double best = INFINITY;
  const auto order = asked(space(7), 1, 100);
  EXPECT_EQ(order.size(), 100U);
  for (const Assignment& config : order) best = std::min(best, time_of(config));
  EXPECT_LT(best, 110);  // the best has 100, the worst 178
}

}  // namespace
}  // namespace hiptune
