#include "search/covering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace hiptune {
namespace {

std::vector<Assignment> grid(int a, int b, int c) {
  std::vector<Assignment> all;
  for (std::int64_t i = 0; i < a; ++i)
    for (std::int64_t j = 0; j < b; ++j)
      for (std::int64_t k = 0; k < c; ++k) all.push_back({{"A", i}, {"B", j}, {"C", k}});
  return all;
}

std::set<std::string> pairs(const std::vector<Assignment>& configs) {
  std::set<std::string> found;
  for (const Assignment& config : configs)
    for (std::size_t i = 0; i < config.size(); ++i)
      for (std::size_t j = i; j < config.size(); ++j) found.insert(to_string(Assignment{config[i], config[j]}));
  return found;
}

TEST(Covering, every_pair_that_occurs_is_covered_by_far_fewer_configurations) {
  const auto all = grid(4, 5, 6);
  const auto chosen = pairwise_covering(all);
  EXPECT_EQ(pairs(chosen), pairs(all));
  EXPECT_LT(chosen.size(), 45U);  // 120 in all; 30 is the least possible
}

TEST(Covering, pairs_that_no_candidate_has_are_not_asked_for) {
  auto all = grid(3, 3, 1);
  std::erase_if(all, [](const Assignment& config) { return config[0].second == Value{std::int64_t{0}}; });
  EXPECT_EQ(pairs(pairwise_covering(all)), pairs(all));
}

TEST(Covering, a_single_tunable_keeps_all_its_values) {
  const std::vector<Assignment> all{{{"A", std::int64_t{1}}}, {{"A", std::int64_t{2}}}};
  EXPECT_EQ(pairwise_covering(all), all);
}

// Whoever stops early has seen many: each choice adds no more new pairs than the one before.
TEST(Covering, what_adds_most_comes_first) {
  const auto chosen = pairwise_covering(grid(4, 5, 6));
  std::vector<std::size_t> added;
  std::size_t seen = 0;
  for (std::size_t count = 1; count <= chosen.size(); ++count) {
    const std::size_t now = pairs({chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count)}).size();
    added.push_back(now - seen);
    seen = now;
  }
  EXPECT_TRUE(std::ranges::is_sorted(added, std::greater<>()));
  EXPECT_EQ(added.front(), 6U);  // three pairs and three values
}

TEST(Covering, nothing_is_covered_by_nothing) { EXPECT_TRUE(pairwise_covering({}).empty()); }

}  // namespace
}  // namespace hiptune
