#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "problem/variant.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::expression;
using testing::ElementsAre;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
const std::array<std::int64_t, 2> kBatch{2, 100};  // images, rows

Problem problem_of(const Space& space) { return make_problem(space, {2, 100, 64}, Dtype::f32, {}); }

Config config_of(std::int64_t split) { return {{"SPLIT", split}, {"LOAD_MODE", "early"}, {"BLOCK", std::int64_t{32}}}; }

LaunchPlan first_launch(const Space& space, const TargetFacts& facts = {}, std::int64_t grid_limit = 0) {
  return make_plan(space, problem_of(space), facts, config_of(2), grid_limit).launches.at(0);
}

TEST(Plan, keeps_the_launches_that_apply_in_order) {
  const Space space = everything_space();
  const Plan one = make_plan(space, problem_of(space), {}, config_of(1));
  const Plan two = make_plan(space, problem_of(space), {}, config_of(2));
  ASSERT_EQ(one.launches.size(), 1U);
  ASSERT_EQ(two.launches.size(), 2U);
  EXPECT_EQ(two.launches[0].entry, "everything");
  EXPECT_EQ(two.launches[1].entry, "combine");
}

TEST(Plan, computes_geometry) {
  const Geometry geometry = first_launch(everything_space()).geometry(kBatch);
  EXPECT_THAT(geometry.grid, ElementsAre(4, 4, 1));
  EXPECT_THAT(geometry.block, ElementsAre(32, 2, 1));
  EXPECT_EQ(geometry.dynamic_lds, 128);
  EXPECT_EQ(geometry.cluster, 1);
  EXPECT_EQ(geometry.blocks(), 16);
  EXPECT_EQ(geometry.threads_per_block(), 64);
}

TEST(Plan, serves_batch_values_that_it_was_not_made_for) {
  const std::array<std::int64_t, 2> other{7, 1000};
  EXPECT_THAT(first_launch(everything_space()).geometry(other).grid, ElementsAre(32, 14, 1));
}

TEST(Plan, the_problems_own_batch_values_do_not_reach_it) {
  const Space space = everything_space();
  const Problem other = make_problem(space, {9, 5, 64}, Dtype::f32, {});
  const Plan plan = make_plan(space, other, {}, config_of(2));
  EXPECT_THAT(plan.launches[0].geometry(kBatch).grid, ElementsAre(4, 4, 1));
}

TEST(Plan, a_looping_grid_in_clusters_stops_at_whole_clusters) {
  Space space = everything_space();
  space.plan[0].cluster = expression("4");
  space.plan[0].grid[0] = expression("4 * rows");
  TargetFacts facts;
  facts.max_cluster = 8;
  facts.max_grid_x = 2147483647;  // is odd
  EXPECT_EQ(first_launch(space, facts).grid_limit[0], 2147483644);
  EXPECT_EQ(first_launch(space, facts, 2).grid_limit[0], 4) << "the gate's limit, and one cluster at the least";
  EXPECT_EQ(first_launch(space, facts, 11).grid_limit[0], 8);
}

TEST(Plan, a_looping_grid_stops_at_the_targets_limits) {
  TargetFacts facts;
  facts.max_grid_x = 3;
  facts.max_grid_yz = 2;
  const LaunchPlan launch = first_launch(everything_space(), facts);
  EXPECT_THAT(launch.geometry(kBatch).grid, ElementsAre(3, 2, 1));
  EXPECT_THAT(launch.grid_limit, ElementsAre(3, 2, kNoLimit));
}

TEST(Plan, a_grid_of_constants_has_no_limit) {
  Space space = everything_space();
  space.plan[0].grid = {expression("cols")};
  TargetFacts facts;
  facts.max_grid_x = 3;
  EXPECT_THAT(first_launch(space, facts).geometry(kBatch).grid, ElementsAre(64, 1, 1));
  EXPECT_THAT(first_launch(space, facts, 5).geometry(kBatch).grid, ElementsAre(64, 1, 1));
}

TEST(Plan, a_grid_limit_lowers_looping_grids_only) {
  EXPECT_THAT(first_launch(everything_space(), {}, 3).geometry(kBatch).grid, ElementsAre(3, 3, 1));
  EXPECT_THAT(first_launch(everything_space(), {}, 1000).geometry(kBatch).grid, ElementsAre(4, 4, 1));
}

TEST(Plan, a_looping_grid_stays_within_the_targets_threads_per_launch) {
  Space space = everything_space();
  space.plan[0].grid = {expression("rows"), expression("cols / 32")};  // blocks of 64 threads, two of them along y
  TargetFacts facts;
  facts.max_threads_per_launch = 1000;
  const Geometry geometry = first_launch(space, facts).geometry(kBatch);
  EXPECT_THAT(geometry.grid, ElementsAre(7, 2, 1));
  EXPECT_LE(geometry.blocks() * geometry.threads_per_block(), facts.max_threads_per_launch);
}

TEST(Plan, two_looping_extents_share_the_targets_threads) {
  TargetFacts facts;
  facts.max_threads_per_launch = 64 * 10;
  const std::array<std::int64_t, 2> huge{1 << 20, 1 << 20};
  const Geometry geometry = first_launch(everything_space(), facts).geometry(huge);
  EXPECT_LE(geometry.blocks() * geometry.threads_per_block(), facts.max_threads_per_launch);
  EXPECT_GE(geometry.blocks(), 1);
}

TEST(Plan, lists_batch_values_in_the_spaces_order) {
  const Space space = everything_space();
  EXPECT_THAT(batch_values(space, problem_of(space)), ElementsAre(2, 100));
}

}  // namespace
}  // namespace hiptune
