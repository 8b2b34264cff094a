#include <gmock/gmock.h>

#include "dispatch/ready_plan.hpp"
#include "dispatch/two_step.hpp"

namespace hiptune {
namespace {

using detail::make_universal_plan;
using detail::UniversalPlan;
using testing::HasSubstr;

UniversalPlan plan_of(const std::string& grid, const std::string& lds) {
  const Space space = read_space(R"({
    "schema_version": 1, "kernel": "k", "description": "made up",
    "dimensions": {"rows": {"minimum": 1, "maximum": 1048576, "batch": true},
                   "cols": {"minimum": 1, "maximum": 4096}},
    "dtypes": ["f32"],
    "arguments": [{"buffer": "y", "role": "out", "extent": ["rows", "cols"]}, {"dimension": "rows"},
                  {"dimension": "cols"}],
    "tunables": {"BLOCK_SIZE": {"values": [32, 64]}},
    "plan": [{"entry": "k", "grid": )" +
                                     grid + R"(, "block": "BLOCK_SIZE", "dynamic_lds": ")" + lds + R"("}],
    "work": {"bytes": "1", "flops": "0"},
    "tolerance": {"atol": "0", "rtol": "0", "reason": "made up"},
    "baselines": {},
    "fallback": {"BLOCK_SIZE": 32}})",
                                 "k.json");
  return make_universal_plan(space, {{1, 1}, Dtype::f32, {}}, TargetFacts{});
}

TEST(UniversalPlan, its_grid_follows_every_dimension_of_a_call) {
  const UniversalPlan universal = plan_of(R"json(["rows", "ceil_div(cols, BLOCK_SIZE)"])json", "4 * BLOCK_SIZE");
  ASSERT_TRUE(universal.plan) << universal.why_not;
  const std::vector<std::int64_t> call{5, 100};
  const Geometry geometry = universal.plan->launches[0].geometry(call);
  EXPECT_THAT(geometry.grid, testing::ElementsAre(5, 4, 1));
  EXPECT_EQ(geometry.dynamic_lds, 128);
}

// A template loops over rows; over columns it need not.
TEST(UniversalPlan, only_grids_of_batch_dimensions_are_clamped) {
  const UniversalPlan universal = plan_of(R"(["cols", "rows"])", "0");
  ASSERT_TRUE(universal.plan) << universal.why_not;
  const std::vector<std::int64_t> call{1 << 20, std::int64_t{1} << 40};
  const Geometry geometry = universal.plan->launches[0].geometry(call);
  EXPECT_EQ(geometry.grid[0], std::int64_t{1} << 40);
  EXPECT_EQ(geometry.grid[1], TargetFacts{}.max_grid_yz);
}

TEST(UniversalPlan, there_is_none_where_the_lds_depends_on_a_dimension) {
  const UniversalPlan universal = plan_of(R"("rows")", "4 * cols");
  EXPECT_FALSE(universal.plan);
  EXPECT_THAT(universal.why_not, HasSubstr("\"4 * cols\" depends on a dimension"));
}

TEST(UniversalPlan, there_is_none_where_a_grid_is_no_closed_form) {
  EXPECT_FALSE(plan_of(R"(["rows", "cols / 1"])", "0").plan);
}

TEST(UniversalPlan, without_one_a_kernel_serves_the_dimensions_that_were_prepared) {
  test::World world;
  test::write_two_step(world, "4 * cols");
  const test::TwoStep kernel = test::bind_two_step(Dispatcher(world.options()));
  test::TwoStepCall call(20, 6);
  EXPECT_EQ(call.run(kernel), Status::not_ready);
  EXPECT_THAT(last_error(), testing::AllOf(HasSubstr("4 * cols"), HasSubstr("prepare()")));
  kernel.prepare(call.x.data(), call.y.data(), 20, 6);
  ASSERT_EQ(call.run(kernel), Status::success) << last_error();
  EXPECT_TRUE(call.is_right());
  EXPECT_EQ(kernel.explain(call.x.data(), call.y.data(), 20, 6).choice, Choice::fallback);
}

}  // namespace
}  // namespace hiptune
