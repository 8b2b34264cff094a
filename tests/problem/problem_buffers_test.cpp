#include "problem/problem_buffers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/config.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using test::sixteen_bits_space;

std::vector<ProblemBuffer> buffers_of(Dtype dtype, const std::vector<std::string>& traits) {
  const Space space = sixteen_bits_space();
  return problem_buffers(space, make_problem(space, {3, 5}, dtype, parse_traits(space, traits)));
}

TEST(ProblemBuffers, are_those_of_the_space_in_its_order) {
  const std::vector<ProblemBuffer> buffers = buffers_of(Dtype::f16, {"WEIGHT=same"});
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_EQ(buffers[0].name, "x");
  EXPECT_EQ(buffers[1].name, "w");
  EXPECT_EQ(buffers[2].name, "y");
  for (const ProblemBuffer& buffer : buffers) EXPECT_EQ(buffer.type, Dtype::f16);
  EXPECT_FALSE(buffers[0].is_vector);
  EXPECT_TRUE(buffers[1].is_vector);
  EXPECT_TRUE(buffers[0].is_constant() && buffers[0].is_filled() && !buffers[0].has_results());
  EXPECT_TRUE(buffers[2].has_results() && !buffers[2].is_filled() && !buffers[2].is_constant());
}

TEST(ProblemBuffers, have_the_type_that_a_trait_says_and_the_domain_of_the_dtype) {
  const std::vector<ProblemBuffer> buffers = buffers_of(Dtype::bf16, {"WEIGHT=f32"});
  EXPECT_EQ(buffers[1].type, Dtype::f32);
  EXPECT_EQ(buffers[0].type, Dtype::bf16);
  EXPECT_EQ(buffers[0].domain.largest, 1e12);
  EXPECT_TRUE(buffers[0].domain.non_finite);
  EXPECT_EQ(buffers_of(Dtype::f16, {})[0].domain.largest, 1e2);
  EXPECT_FALSE(buffers_of(Dtype::f16, {})[0].domain.non_finite);
}

TEST(ProblemBuffers, that_are_absent_have_no_memory_of_any_kind) {
  const ProblemBuffer w = buffers_of(Dtype::f16, {"WEIGHT=none"})[1];
  EXPECT_TRUE(w.is_absent);
  EXPECT_FALSE(w.has_memory() || w.is_filled() || w.is_constant() || w.has_results());
}

TEST(ProblemBuffers, in_place_are_one_memory_that_begins_as_the_input_and_ends_as_the_output) {
  const std::vector<ProblemBuffer> buffers = buffers_of(Dtype::f16, {"IN_PLACE=yes"});
  EXPECT_EQ(buffers[0].memory_of, 2u);
  EXPECT_FALSE(buffers[0].has_memory() || buffers[0].is_filled() || buffers[0].is_constant());
  EXPECT_FALSE(buffers[2].memory_of);
  EXPECT_TRUE(buffers[2].is_filled() && buffers[2].has_results());
  EXPECT_EQ(buffers[2].domain.largest, 1e2);
  EXPECT_FALSE(buffers_of(Dtype::f16, {"IN_PLACE=no"})[0].memory_of);
}

TEST(ProblemBuffers, workspaces_have_the_type_that_a_trait_says) {
  const Space space = sixteen_bits_space();
  const auto bytes = [&](const std::string& scratch) {
    const Problem problem = make_problem(space, {3, 5}, Dtype::f16, parse_traits(space, {scratch}));
    return element_bytes(space.workspaces[0], problem);
  };
  EXPECT_EQ(bytes("SCRATCH=same"), 2);
  EXPECT_EQ(bytes("SCRATCH=f32"), 4);
}

}  // namespace
}  // namespace hiptune
