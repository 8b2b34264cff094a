#include "problem/variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::expression;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Kernel kernel() {
  return {"everything",
          everything_space(),
          {"everything.hip", "template"},
          {"everything.reference.hip", "oracle"},
          {"hiptune_device.h", "device layer"},
          {}};
}

Problem problem() { return make_problem(everything_space(), {2, 3, 64}, Dtype::f32, {}); }
Config config(std::int64_t split) { return {{"SPLIT", split}, {"LOAD_MODE", "early"}, {"BLOCK", std::int64_t{32}}}; }

TEST(Variant, has_the_template_and_both_headers) {
  const Variant variant = make_variant(kernel(), problem(), {}, config(2));
  EXPECT_EQ(variant.source.name, "everything.hip");
  EXPECT_THAT(variant.source.text, testing::StartsWith("template\n"));
  ASSERT_EQ(variant.headers.size(), 2U);
  EXPECT_EQ(variant.headers[0].name, "hiptune_config.h");
  EXPECT_THAT(variant.headers[0].text, HasSubstr("constexpr int SPLIT = 2;"));
  EXPECT_EQ(variant.headers[1].name, "hiptune_device.h");
  EXPECT_EQ(variant.headers[1].text, "device layer");
}

TEST(Variant, declares_its_entry_points_as_the_space_says) {
  const Space space = test::minimal_space();
  const Kernel minimal{"k", space, {"k.hip", ""}, {"k.reference.hip", ""}, {"hiptune_device.h", ""}, {}};
  const Problem problem = make_problem(space, {5, 6}, Dtype::f32, {});
  const std::string text = make_variant(minimal, problem, {}, space.fallback).source.text;
  const std::string oracle = make_reference(minimal, problem, {}).source.text;
  const std::string entry = "extern \"C\" __global__ void " + space.plan[0].entry + "(";
  EXPECT_THAT(text, AllOf(HasSubstr(entry), HasSubstr("scalar_t*"), HasSubstr("hiptune::int64")));
  EXPECT_THAT(oracle, AllOf(HasSubstr("_reference("), HasSubstr("double*")));
  EXPECT_THAT(text, Not(HasSubstr("double*")));
}

TEST(Variant, lists_the_entry_points_of_its_plan_once) {
  Kernel twice = kernel();
  twice.space.plan.push_back(twice.space.plan[0]);
  EXPECT_THAT(make_variant(twice, problem(), {}, config(2)).entry_points, ElementsAre("everything", "combine"));
  EXPECT_THAT(make_variant(twice, problem(), {}, config(1)).entry_points, ElementsAre("everything"));
}

TEST(Variant, the_reference_knows_types_and_traits_but_no_tunables) {
  const Variant reference = make_reference(kernel(), problem(), {});
  EXPECT_THAT(reference.source.text, testing::StartsWith("oracle\n"));
  EXPECT_THAT(reference.entry_points, ElementsAre("everything_reference"));
  ASSERT_EQ(reference.headers.size(), 2U);
  EXPECT_THAT(reference.headers[0].text, HasSubstr("using scalar_t = float;"));
  EXPECT_THAT(reference.headers[0].text, HasSubstr("WEIGHT = Weight::same;"));
  EXPECT_THAT(reference.headers[0].text, Not(HasSubstr("SPLIT")));
}

TEST(Variant, the_reference_runs_one_thread_per_block) {
  const Variant reference = make_reference(kernel(), problem(), {});
  ASSERT_EQ(reference.plan.launches.size(), 1U);
  const Geometry geometry = reference.plan.launches[0].geometry(batch_values(everything_space(), problem()));
  EXPECT_THAT(geometry.grid, ElementsAre(256, 1, 1));
  EXPECT_EQ(geometry.threads_per_block(), 1);
  EXPECT_EQ(geometry.dynamic_lds, 0);
}

TEST(Variant, sizes_workspaces_by_their_own_type) {
  const Space space = everything_space();
  EXPECT_THAT(workspace_bytes(space, problem(), {}, config(4)), ElementsAre(2 * 3 * 4 * 4, 16 * 4));
  const Problem wide = make_problem(space, {2, 3, 64}, Dtype::f64, {});
  EXPECT_THAT(workspace_bytes(space, wide, {}, config(4)), ElementsAre(2 * 3 * 4 * 4, 16 * 8));
}

TEST(Variant, rejects_a_workspace_that_cannot_be) {
  Space space = everything_space();
  for (const char* extent : {"2^52", "-1"}) {
    space.workspaces[0].extent = expression(extent);
    EXPECT_THAT(message_of([&] { (void)workspace_bytes(space, problem(), {}, config(1)); }),
                HasSubstr("the workspace \"partial\""));
  }
}

TEST(Variant, evaluates_the_tolerance_for_the_configuration) {
  const Limit limit = tolerance_of(everything_space(), problem(), {}, config(4));
  EXPECT_EQ(limit.atol, 1e-30);
  EXPECT_EQ(limit.rtol, 20 * 0x1p-24);
}

TEST(Variant, rejects_a_negative_tolerance) {
  Space space = everything_space();
  space.tolerance.rtol = expression("1 - SPLIT");
  EXPECT_THAT(message_of([&] { (void)tolerance_of(space, problem(), {}, config(4)); }), HasSubstr("negative"));
}

}  // namespace
}  // namespace hiptune
