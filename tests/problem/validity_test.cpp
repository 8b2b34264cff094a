#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/config.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::expression;
using test::message_of;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Optional;

Config config_of(std::int64_t split, const std::string& mode, std::int64_t block) {
  return {{"SPLIT", split}, {"LOAD_MODE", mode}, {"BLOCK", block}};
}

std::optional<std::string> reason(const Space& space, const Config& config, const TargetFacts& facts = {},
                                  std::vector<std::int64_t> sizes = {2, 3, 64}, const Assignment& traits = {}) {
  return why_invalid(space, make_problem(space, std::move(sizes), Dtype::f32, traits), facts, config);
}

TEST(Validity, accepts_what_breaks_no_rule) {
  EXPECT_EQ(reason(everything_space(), config_of(4, "late", 64)), std::nullopt);
}

TEST(Validity, gives_the_reason_of_the_broken_constraint) {
  EXPECT_EQ(reason(everything_space(), config_of(4, "early", 64), {}, {2, 3, 66}), "a row is split evenly");
  EXPECT_EQ(reason(everything_space(), config_of(1, "late", 64), {}, {2, 3, 64}, {{"WEIGHT", "none"}}),
            "there is nothing to load");
}

TEST(Validity, constraints_come_before_the_plan_whose_expressions_rely_on_them) {
  Space space = everything_space();
  space.plan[0].grid[0] = expression("cols / SPLIT");
  EXPECT_EQ(reason(space, config_of(4, "early", 64), {}, {2, 3, 66}), "a row is split evenly");
}

TEST(Validity, keeps_the_targets_block_limit) {
  TargetFacts facts;
  facts.max_block_threads = 127;
  EXPECT_THAT(reason(everything_space(), config_of(1, "early", 64), facts), Optional(HasSubstr("target's 127")));
  facts.max_block_threads = 128;
  EXPECT_EQ(reason(everything_space(), config_of(1, "early", 64), facts), std::nullopt);
}

TEST(Validity, keeps_the_targets_lds) {
  TargetFacts facts;
  facts.lds_bytes = 255;
  EXPECT_THAT(reason(everything_space(), config_of(1, "early", 64), facts),
              Optional(HasSubstr("the dynamic LDS is 256, and the target has 255")));
  facts.lds_bytes = 256;
  EXPECT_EQ(reason(everything_space(), config_of(1, "early", 64), facts), std::nullopt);
}

TEST(Validity, a_grid_is_a_multiple_of_its_cluster) {
  Space space = everything_space();
  space.plan[0].cluster = expression("SPLIT");
  TargetFacts facts;
  facts.max_cluster = 8;
  space.plan[0].grid[0] = expression("SPLIT + 1");
  EXPECT_THAT(reason(space, config_of(4, "early", 64), facts),
              Optional(HasSubstr("everything: grid.x is 5, no multiple of the cluster of 4")));
  space.plan[0].grid[0] = expression("2 * SPLIT");
  EXPECT_EQ(reason(space, config_of(4, "early", 64), facts), std::nullopt);
}

TEST(Validity, keeps_the_targets_cluster_limit) {
  Space space = everything_space();
  space.plan[0].cluster = expression("SPLIT");
  space.plan[0].grid[0] = expression("4 * SPLIT");
  TargetFacts facts;
  facts.max_cluster = 2;
  EXPECT_EQ(reason(space, config_of(2, "early", 64), facts), std::nullopt);
  EXPECT_THAT(reason(space, config_of(4, "early", 64), facts), Optional(HasSubstr("everything: the cluster is 4")));
}

TEST(Validity, rejects_extents_below_one) {
  Space space = everything_space();
  space.plan[0].block[1] = expression("SPLIT - 1");
  EXPECT_THAT(reason(space, config_of(1, "early", 64)), Optional(HasSubstr("the block has an extent of 0")));
  space = everything_space();
  space.plan[0].grid[2] = expression("SPLIT - 1");
  EXPECT_THAT(reason(space, config_of(1, "early", 64)), Optional(HasSubstr("grid.z is 0")));
  space = everything_space();
  space.plan[0].dynamic_lds = expression("-4");
  EXPECT_THAT(reason(space, config_of(1, "early", 64)), Optional(HasSubstr("LDS is negative")));
}

TEST(Validity, a_grid_that_does_not_loop_keeps_the_targets_limits) {
  Space space = everything_space();
  space.plan[0].grid = {expression("cols * 1000")};
  TargetFacts facts;
  facts.max_grid_x = 64000;
  EXPECT_EQ(reason(space, config_of(1, "early", 64), facts), std::nullopt);
  facts.max_grid_x = 63999;
  EXPECT_THAT(reason(space, config_of(1, "early", 64), facts), Optional(HasSubstr("grid.x is 64000, above")));
  space.plan[0].grid = {expression("rows"), expression("cols * 1024")};
  EXPECT_THAT(reason(space, config_of(1, "early", 64)),
              Optional(HasSubstr("grid.y is 65536, above the target's 65535")));
}

TEST(Validity, a_looping_grid_is_never_too_large) {
  Space space = everything_space();
  space.plan[0].grid = {expression("rows * 1000000000")};
  EXPECT_EQ(reason(space, config_of(1, "early", 64)), std::nullopt);
}

TEST(Validity, keeps_the_targets_threads_per_launch) {
  Space space = everything_space();
  space.plan[0].grid = {expression("cols")};
  TargetFacts facts;
  facts.max_threads_per_launch = 64 * 128;
  EXPECT_EQ(reason(space, config_of(1, "early", 64), facts), std::nullopt);
  facts.max_threads_per_launch -= 1;
  EXPECT_THAT(reason(space, config_of(1, "early", 64), facts),
              Optional(HasSubstr("more threads than the target's 8191")));
}

TEST(Validity, an_expression_without_a_value_names_the_configuration) {
  const std::string configuration = "; for SPLIT=4 LOAD_MODE=early BLOCK=64";
  Space space = everything_space();
  space.plan[0].grid[0] = expression("cols / 5");
  EXPECT_EQ(message_of([&] { (void)reason(space, config_of(4, "early", 64)); }),
            "space.json: /here: \"cols / 5\": the result, 12.800000, is not an integer" + configuration);
  space = everything_space();
  space.plan[0].dynamic_lds = expression("cols / (SPLIT - 4)");
  EXPECT_THAT(message_of([&] { (void)reason(space, config_of(4, "early", 64)); }),
              AllOf(HasSubstr("division by zero"), EndsWith(configuration)));
  space = everything_space();
  space.constraints[0].expression = expression("cols / (SPLIT - 4) > 2");
  EXPECT_THAT(message_of([&] { (void)reason(space, config_of(4, "early", 64)); }),
              AllOf(HasSubstr("division by zero"), EndsWith(configuration)));
}

TEST(Validity, a_plan_must_launch_something) {
  Space space = everything_space();
  space.plan.erase(space.plan.begin());
  EXPECT_THAT(reason(space, config_of(1, "early", 64)), Optional(HasSubstr("no launch")));
  EXPECT_EQ(reason(space, config_of(2, "early", 64)), std::nullopt);
}

}  // namespace
}  // namespace hiptune
