#include <gmock/gmock.h>

#include "dispatch/argument_types.hpp"
#include "dispatch/two_step.hpp"
#include "dispatch/world.hpp"

namespace hiptune {
namespace {

using made_up::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using I = std::int64_t;

TEST(Untyped, a_call_is_the_typed_one_s) {
  test::World world;
  test::write_two_step(world);
  world.tuned("two_step", {9, 7}, {"BLOCK_SIZE=64"});
  const UntypedKernel kernel = Dispatcher(world.options()).bind_untyped("two_step", "f32");
  EXPECT_THAT(kernel.arguments(), ElementsAre("x", "y", "rows", "cols"));
  test::TwoStepCall call(9, 7);
  const float* x = call.x.data();
  float* y = call.y.data();
  I rows = 9, cols = 7;
  const std::array<void*, 4> arguments{&x, &y, &rows, &cols};
  kernel.prepare(arguments.data());
  EXPECT_EQ(kernel.explain(arguments.data()).choice, Choice::exact);
  ASSERT_EQ(kernel(nullptr, arguments.data()), Status::success) << last_error();
  EXPECT_TRUE(call.is_right());
  kernel.forget(nullptr);
}

TEST(Untyped, the_types_of_scalars_are_the_space_s) {
  const Space space = KernelPath({}, {}).load("rmsnorm").space;
  const std::vector<detail::ArgumentType> types = untyped_arguments(space);
  ASSERT_EQ(types.size(), space.arguments.size());
  EXPECT_EQ(types.front().kind, detail::ArgumentKind::pointer);
  EXPECT_EQ(types.back().kind, detail::ArgumentKind::floating);
  EXPECT_EQ(types.back().bytes, sizeof(float));
  for (const Dtype dtype : space.dtypes)
    EXPECT_NO_THROW(require_types(space, make_problem(space, {8, 16}, dtype, {}), types));
}

TEST(Untyped, more_arguments_than_a_call_copies_are_refused_by_name_of_file) {
  test::World world;
  test::write_two_step(world);
  std::string many = test::two_step_space(), scalars;
  for (int i = 0; i < 29; ++i)
    scalars += R"(, {"scalar": "s)" + std::to_string(i) + R"(", "type": "f32", "default": 1, "range": [0, 1]})";
  const std::string last = R"({"dimension": "cols"})";
  many.insert(many.find(last) + last.size(), scalars);
  world.write_kernel_file("two_step.json", many);
  EXPECT_THAT(error_of([&] { (void)Dispatcher(world.options()).bind_untyped("two_step", "f32"); }).what(),
              testing::AllOf(HasSubstr("two_step.json: /arguments: 33 of them"), HasSubstr("at most 32")));
}

}  // namespace
}  // namespace hiptune
