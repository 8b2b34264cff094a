#include "problem/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::message_of;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::int64_t> kSizes{2, 3, 64};

Problem problem_of(const Space& space, const Assignment& traits = {}, Dtype dtype = Dtype::f32) {
  return make_problem(space, kSizes, dtype, traits);
}

template <typename... Arguments>
std::string error_of(const Arguments&... arguments) {
  const Space space = everything_space();
  return message_of([&] { (void)make_problem(space, arguments...); });
}

TEST(Problem, completes_traits_in_the_order_of_the_space) {
  const Space space = everything_space();
  const Problem problem = problem_of(space, {{"LEVEL", std::int64_t{1}}});
  EXPECT_EQ(to_string(problem.traits), "ALIGN=16 WEIGHT=same LEVEL=1");
}

TEST(Problem, prints_as_its_identity) {
  const Space space = everything_space();
  EXPECT_EQ(to_string(space, problem_of(space)), "images=2 rows=3 cols=64 dtype=f32 ALIGN=16 WEIGHT=same LEVEL=2");
  const Space plain = test::minimal_space();
  EXPECT_EQ(to_string(plain, make_problem(plain, {5, 6}, Dtype::f32, {})), "rows=5 cols=6 dtype=f32");
}

TEST(Problem, names_the_option_of_a_dimension_out_of_range) {
  EXPECT_EQ(error_of(std::vector<std::int64_t>{2, 3, 15}, Dtype::f32, Assignment{}),
            "--cols 15: must be from 16 to 65536");
  EXPECT_THAT(error_of(std::vector<std::int64_t>{2, 3, 65537}, Dtype::f32, Assignment{}), StartsWith("--cols 65537: "));
  EXPECT_THAT(error_of(std::vector<std::int64_t>{2, 0, 64}, Dtype::f32, Assignment{}), StartsWith("--rows 0: "));
}

TEST(Problem, needs_one_value_per_dimension) {
  EXPECT_THAT(error_of(std::vector<std::int64_t>{2, 3}, Dtype::f32, Assignment{}), HasSubstr("images, rows, cols"));
}

TEST(Problem, rejects_a_dtype_that_the_kernel_lacks) {
  EXPECT_EQ(error_of(kSizes, Dtype::i32, Assignment{}), "--dtype i32: everything has only f32, f64");
}

TEST(Problem, rejects_unknown_traits_and_values) {
  EXPECT_THAT(error_of(kSizes, Dtype::f32, Assignment{{"ALGIN", std::int64_t{4}}}),
              HasSubstr("--trait: there is no trait \"ALGIN\" (did you mean \"ALIGN\"?)"));
  EXPECT_THAT(error_of(kSizes, Dtype::f32, Assignment{{"WEIGHT", "some"}}),
              HasSubstr("--trait: WEIGHT=some is not in the space (did you mean \"same\"?)"));
}

TEST(Problem, rejects_an_alignment_below_the_element) {
  EXPECT_THAT(error_of(kSizes, Dtype::f64, Assignment{{"ALIGN", std::int64_t{4}}}),
              HasSubstr("below the element size, 8 bytes"));
}

TEST(Problem, rejects_an_alignment_below_elements_of_16_bits_and_of_32) {
  const Space space = test::sixteen_bits_space();
  const Assignment two{{"ALIGN", std::int64_t{2}}};
  EXPECT_NO_THROW((void)make_problem(space, {3, 5}, Dtype::f16, two));
  EXPECT_EQ(message_of([&] {
              (void)make_problem(space, {3, 5}, Dtype::f32, two);
            }),
            "--trait ALIGN=2: an alignment below the element size, 4 bytes");
}

TEST(Problem, calls_its_own_dtype_the_same_wherever_a_trait_says_a_type) {
  const Space space = test::sixteen_bits_space();
  const auto text = [&](Dtype dtype, const Assignment& traits) {
    return to_string(make_problem(space, {3, 5}, dtype, traits).traits);
  };
  const Assignment f32{{"WEIGHT", "f32"}};
  EXPECT_EQ(text(Dtype::f16, f32), "ALIGN=16 WEIGHT=f32 SCRATCH=same IN_PLACE=no");
  EXPECT_EQ(message_of([&] { (void)text(Dtype::f32, f32); }),
            "--trait WEIGHT=f32: that is the problem's own dtype, which is written WEIGHT=same");
  EXPECT_EQ(text(Dtype::f32, with_same_type(space, f32, Dtype::f32)), text(Dtype::f32, {{"WEIGHT", "same"}}));
  EXPECT_EQ(text(Dtype::f32, {}), text(Dtype::f32, {{"WEIGHT", "same"}})) << "the default is f32";
}

TEST(Problem, has_names_for_its_dtype) {
  const Space space = test::sixteen_bits_space();
  for (const auto& [dtype, index] : {std::pair{Dtype::f16, 0}, {Dtype::bf16, 1}, {Dtype::f32, 2}}) {
    const Names names = names_of(space, make_problem(space, {3, 5}, dtype, {}), {});
    EXPECT_EQ(names.at("DTYPE"), index);
    EXPECT_EQ(names.at("DTYPE." + to_string(dtype)), index);
    EXPECT_FALSE(names.contains("DTYPE.f64"));
    EXPECT_EQ(names.at("ELEMENT_BYTES"), static_cast<double>(size_of(dtype)));
  }
}

TEST(Problem, an_absent_buffer_has_no_shape) {
  const Space space = test::sixteen_bits_space();
  const auto shapes = buffer_shapes(space, make_problem(space, {3, 5}, Dtype::f16, {{"WEIGHT", "none"}}), {});
  EXPECT_EQ(shapes[1].elements(), 0);
  EXPECT_EQ(shapes[2].elements(), 15);
}

TEST(Problem, rejects_a_domain_beyond_the_type_that_a_trait_says) {
  Space space = test::sixteen_bits_space();
  std::get<BufferArgument>(space.arguments[1]).domain.largest = 65505;
  const auto error = [&](const std::string& weight) {
    return message_of([&] { (void)make_problem(space, {3, 5}, Dtype::f16, {{"WEIGHT", weight}}); });
  };
  EXPECT_THAT(error("same"), HasSubstr("the domain of w goes beyond the largest f16"));
  EXPECT_EQ(error("f32"), "no error");
  EXPECT_EQ(error("none"), "no error");
}

TEST(Problem, names_everything_that_expressions_may_use) {
  const Space space = everything_space();
  TargetFacts facts;
  facts.wave_size = 64;
  facts.compute_units = 132;
  const Names names = names_of(space, problem_of(space, {{"WEIGHT", "none"}}, Dtype::f64), facts, space.fallback);
  EXPECT_EQ(names.at("images"), 2);
  EXPECT_EQ(names.at("cols"), 64);
  EXPECT_EQ(names.at("ELEMENT_BYTES"), 8);
  EXPECT_EQ(names.at("WAVE_SIZE"), 64);
  EXPECT_EQ(names.at("LDS_BYTES"), 65536);
  EXPECT_EQ(names.at("COMPUTE_UNITS"), 132);
  EXPECT_EQ(names.at("MAX_CLUSTER"), 1);
  EXPECT_EQ(names.at("ALIGN"), 16);
  EXPECT_EQ(names.at("WEIGHT"), 1);
  EXPECT_EQ(names.at("WEIGHT.none"), 1);
  EXPECT_EQ(names.at("LOAD_MODE.late"), 1);
  EXPECT_EQ(names.at("LOAD_MODE"), 0);
  EXPECT_EQ(names.at("BLOCK"), 64);
}

TEST(Problem, without_a_configuration_there_are_no_tunables_among_the_names) {
  const Space space = everything_space();
  const Names names = names_of(space, problem_of(space), {});
  EXPECT_FALSE(names.contains("BLOCK"));
  EXPECT_FALSE(names.contains("LOAD_MODE.late"));
}

TEST(Problem, sizes_buffers) {
  const Space space = everything_space();
  const std::vector<BufferShape> shapes = buffer_shapes(space, problem_of(space, {}, Dtype::f64), {});
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].rows, 6);
  EXPECT_EQ(shapes[0].cols, 64);
  EXPECT_EQ(shapes[0].type, Dtype::f64);
  EXPECT_EQ(shapes[0].elements(), 384);
  EXPECT_EQ(shapes[0].span(100), 564);
  EXPECT_EQ(shapes[1].rows, 1);
  EXPECT_EQ(shapes[1].cols, 3);
  EXPECT_EQ(shapes[1].type, Dtype::i32);
}

TEST(Problem, rejects_buffers_that_no_memory_holds) {
  const Space space = everything_space();
  const Problem problem{{1000000000, 1000000, 64}, Dtype::f32, problem_of(space).traits};
  EXPECT_THAT(message_of([&] { (void)buffer_shapes(space, problem, {}); }),
              testing::AllOf(HasSubstr("everything.json: /arguments/0/extent/0"), HasSubstr("exceeds 2^53")));
}

TEST(Problem, rejects_a_domain_beyond_the_dtype) {
  Space space = everything_space();
  for (Argument& argument : space.arguments)
    if (auto* buffer = std::get_if<BufferArgument>(&argument)) buffer->domain.largest = 1e39;
  EXPECT_THAT(message_of([&] { (void)problem_of(space); }), HasSubstr("beyond the largest f32"));
}

TEST(Problem, rejects_a_negative_extent) {
  Space space = everything_space();
  std::get<BufferArgument>(space.arguments[1]).extent[0] = test::expression("rows - 4");
  EXPECT_THAT(message_of([&] { (void)buffer_shapes(space, problem_of(space), {}); }), HasSubstr("-1 is negative"));
}

TEST(Problem, counts_its_work) {
  const Space space = everything_space();
  const Work work = work_of(space, problem_of(space, {}, Dtype::f64), {});
  EXPECT_EQ(work.bytes, 2 * 2 * 3 * 64 * 8);
  EXPECT_EQ(work.flops, 0);
}

TEST(Problem, rejects_work_that_nothing_can_be_a_share_of) {
  for (const char* bytes : {"0", "-8", "1e300", "2^60", "rows / 0"}) {
    Space space = everything_space();
    space.work_bytes = test::expression(bytes);
    EXPECT_THAT(message_of([&] { (void)work_of(space, problem_of(space), {}); }), HasSubstr(bytes)) << bytes;
  }
  Space space = everything_space();
  space.work_flops = test::expression("0 - rows");
  EXPECT_THAT(message_of([&] { (void)work_of(space, problem_of(space), {}); }), HasSubstr("must be from 0 to 2^53"));
}

}  // namespace
}  // namespace hiptune
