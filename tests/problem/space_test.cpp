#include "problem/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::minimal_space;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Space, reads_a_file_with_every_field) {
  const Space space = everything_space();
  EXPECT_EQ(space.kernel, "everything");
  EXPECT_EQ(space.file, "everything.json");
  EXPECT_THAT(space.dtypes, ElementsAre(Dtype::f32, Dtype::f64));
  EXPECT_EQ(space.arguments.size(), 10U);
  EXPECT_EQ(space.workspaces.size(), 2U);
  EXPECT_EQ(space.constraints.size(), 2U);
  EXPECT_EQ(space.work_flops.text(), "0");
  EXPECT_EQ(space.tolerance.reason, "a sum of cols terms");
  EXPECT_EQ(space.tolerance.origin, 1e-4);
}

TEST(Space, reads_dimensions) {
  const Space space = everything_space();
  ASSERT_EQ(space.dimensions.size(), 3U);
  EXPECT_EQ(space.dimensions[0].description, "pictures");
  EXPECT_EQ(space.dimensions[2].minimum, 16);
  EXPECT_EQ(space.dimensions[2].maximum, 65536);
  EXPECT_FALSE(space.dimensions[2].batch);
  EXPECT_THAT(space.batch_dimensions(), ElementsAre("images", "rows"));
}

TEST(Space, reads_traits) {
  const Space space = everything_space();
  ASSERT_EQ(space.traits.size(), 3U);
  EXPECT_EQ(space.traits[0].source, TraitSource::alignment);
  EXPECT_EQ(space.traits[0].default_index, 2U);
  EXPECT_THAT(space.traits[1].values, ElementsAre(Value("same"), Value("none")));
  EXPECT_EQ(space.traits[2].source, TraitSource::given);
}

TEST(Space, reads_buffers) {
  const Space space = everything_space();
  const std::vector<const BufferArgument*> buffers = space.buffers();
  ASSERT_EQ(buffers.size(), 4U);
  EXPECT_EQ(buffers[0]->extent.size(), 2U);
  EXPECT_EQ(buffers[0]->extent[0].place().pointer, "/arguments/0/extent/0");
  EXPECT_TRUE(buffers[0]->domain.non_finite);
  EXPECT_EQ(buffers[1]->type.dtype, Dtype::i32);
  EXPECT_EQ(buffers[1]->extent.size(), 1U);
  EXPECT_EQ(buffers[2]->role, Role::inout);
  EXPECT_EQ(buffers[3]->type, ElementType{});
}

TEST(Space, reads_the_other_arguments) {
  const Space space = everything_space();
  EXPECT_EQ(std::get<DimensionArgument>(space.arguments[5]).name, "rows");
  EXPECT_EQ(std::get<StrideArgument>(space.arguments[7]).buffer, "x");
  const auto& shift = std::get<ScalarArgument>(space.arguments[8]);
  EXPECT_EQ(shift.default_value, 0.5);
  EXPECT_EQ(shift.minimum, -1);
  EXPECT_EQ(shift.maximum, 1);
  EXPECT_EQ(std::get<ScalarArgument>(space.arguments[9]).type, Dtype::i64);
}

TEST(Space, keeps_tunables_in_the_order_of_the_file) {
  const Space space = everything_space();
  ASSERT_EQ(space.tunables.size(), 3U);
  EXPECT_EQ(space.tunables[0].name, "SPLIT");
  EXPECT_EQ(space.tunables[1].name, "LOAD_MODE");
  EXPECT_EQ(space.tunables[1].description, "when weights are loaded");
  EXPECT_EQ(space.tunables[2].name, "BLOCK");
}

TEST(Space, puts_configurations_into_the_order_of_the_tunables) {
  const Space space = everything_space();
  ASSERT_EQ(space.baselines.size(), 2U);
  EXPECT_EQ(space.baselines[1].name, "split by four");
  EXPECT_EQ(to_string(space.baselines[1].config), "SPLIT=4 LOAD_MODE=early BLOCK=64");
  EXPECT_EQ(to_string(space.fallback), "SPLIT=1 LOAD_MODE=early BLOCK=64");
}

TEST(Space, reads_the_plan) {
  const Space space = everything_space();
  ASSERT_EQ(space.plan.size(), 2U);
  EXPECT_EQ(space.plan[0].grid.size(), 3U);
  EXPECT_EQ(space.plan[0].grid[2].text(), "1");
  EXPECT_EQ(space.plan[0].block.size(), 2U);
  EXPECT_FALSE(space.plan[0].when);
  EXPECT_EQ(space.plan[1].dynamic_lds.text(), "0");
  EXPECT_EQ(space.plan[1].cluster.text(), "1");
  ASSERT_TRUE(space.plan[1].when);
  EXPECT_EQ(space.plan[1].when->text(), "SPLIT > 1");
}

TEST(Space, finds_by_name) {
  const Space space = everything_space();
  ASSERT_NE(space.find_tunable("BLOCK"), nullptr);
  EXPECT_EQ(space.find_tunable("BLOCK")->values.size(), 2U);
  EXPECT_EQ(space.find_trait("ALIGN")->values.size(), 3U);
  EXPECT_EQ(space.find_dimension("cols")->minimum, 16);
  EXPECT_EQ(space.find_tunable("ALIGN"), nullptr);
  EXPECT_EQ(space.find_trait("cols"), nullptr);
  EXPECT_EQ(space.find_dimension("BLOCK"), nullptr);
}

TEST(Space, the_canonical_text_ignores_white_space_but_not_order) {
  const std::string text = test::text_of_file(test::tests_folder() / "schema/good/minimal.json");
  std::string spaced = text;
  spaced.insert(spaced.find("\"dtypes\""), "\n\n   \t");
  EXPECT_EQ(read_space(spaced, "a").canonical_text, read_space(text, "b").canonical_text);
  std::string reordered = text;
  reordered.replace(reordered.find("[64, 256]"), 9, "[256, 64]");
  EXPECT_NE(read_space(reordered, "a").canonical_text, read_space(text, "a").canonical_text);
  EXPECT_THAT(minimal_space().canonical_text, HasSubstr("{\"schema_version\":1,\"kernel\":\"scale\","));
}

TEST(Space, spills_are_allowed_unless_it_rejects_them) {
  EXPECT_FALSE(minimal_space().rejects_spills);
  EXPECT_TRUE(test::read_file(test::tests_folder() / "schema/good/spills_rejected.json").rejects_spills);
}

}  // namespace
}  // namespace hiptune
