#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/config_names.hpp"
#include "problem/variant.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using testing::HasSubstr;
using testing::Not;

Problem problem_of(const Space& space) { return make_problem(space, {2, 3, 64}, Dtype::f64, {{"WEIGHT", "none"}}); }

TEST(ConfigHeader, holds_every_trait_and_tunable) {
  const Space space = everything_space();
  TargetFacts facts;
  facts.wave_size = 64;
  EXPECT_EQ(config_header(space, problem_of(space), facts, space.fallback),
            "#pragma once\n"
            "\n"
            "namespace hiptune {\n"
            "struct f16;\n"
            "struct bf16;\n"
            "}  // namespace hiptune\n"
            "using scalar_t = double;\n"
            "constexpr int ELEMENT_BYTES = 8;\n"
            "constexpr int WAVE_SIZE = 64;\n"
            "constexpr int ALIGN = 16;\n"
            "enum class Weight { same, none };\n"
            "constexpr Weight WEIGHT = Weight::none;\n"
            "constexpr int LEVEL = 2;\n"
            "constexpr int SPLIT = 1;\n"
            "enum class LoadMode { early, late };\n"
            "constexpr LoadMode LOAD_MODE = LoadMode::early;\n"
            "constexpr int BLOCK = 64;\n");
}

TEST(ConfigHeader, has_a_type_for_each_buffer_whose_type_a_trait_says) {
  const Space space = test::sixteen_bits_space();
  const auto header = [&](Dtype dtype, const std::string& weight) {
    return config_header(space, make_problem(space, {3, 5}, dtype, {{"WEIGHT", weight}}), {}, space.fallback);
  };
  EXPECT_THAT(header(Dtype::f16, "f32"), HasSubstr("using scalar_t = hiptune::f16;\n"
                                                   "using w_t = float;\n"
                                                   "using scratch_t = hiptune::f16;\n"));
  EXPECT_THAT(header(Dtype::bf16, "same"), HasSubstr("using w_t = hiptune::bf16;\n"));
  EXPECT_THAT(header(Dtype::f16, "none"), HasSubstr("using w_t = hiptune::f16;\n"));
  EXPECT_THAT(header(Dtype::f16, "none"), Not(HasSubstr("x_t")));
}

TEST(ConfigHeader, never_holds_a_dimension) {
  const Space space = everything_space();
  EXPECT_THAT(config_header(space, problem_of(space), {}, space.fallback), Not(HasSubstr("cols")));
}

TEST(ConfigHeader, without_a_configuration_it_has_no_tunables) {
  const Space space = everything_space();
  const std::string header = config_header(space, problem_of(space), {}, {});
  EXPECT_THAT(header, HasSubstr("constexpr int ALIGN = 16;"));
  EXPECT_THAT(header, Not(HasSubstr("SPLIT")));
  EXPECT_THAT(header, Not(HasSubstr("LoadMode")));
}

TEST(ConfigHeader, an_integer_beyond_int_is_long_long) {
  Space space = everything_space();
  const std::int64_t large = std::int64_t{1} << 40;
  space.tunables[0].values = {large};
  EXPECT_THAT(config_header(space, problem_of(space), {}, {{"SPLIT", large}}),
              HasSubstr("constexpr long long SPLIT = 1099511627776;\n"));
}

TEST(ConfigHeader, makes_a_type_name_of_a_constants_name) {
  EXPECT_EQ(enum_name("REDUCTION"), "Reduction");
  EXPECT_EQ(enum_name("LOAD_MODE"), "LoadMode");
  EXPECT_EQ(enum_name("load_mode_2"), "LoadMode2");
}

}  // namespace
}  // namespace hiptune
