#include "problem/enumeration.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "hiptune/error.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// One launch of 32 threads, whatever the tunables are.
Space bare_space() {
  Space space = test::everything_space();
  space.constraints.clear();
  space.tunables.clear();
  space.plan.resize(1);
  space.plan[0].grid = space.plan[0].block = {Expression("32", {})};
  space.plan[0].dynamic_lds = Expression("0", {});
  space.plan[0].cluster = Expression("1", {});
  space.plan[0].when.reset();
  return space;
}

void add_tunable(Space& space, const std::string& name, std::int64_t values) {
  space.tunables.push_back({name, {}, ""});
  for (std::int64_t value = 0; value < values; ++value) space.tunables.back().values.emplace_back(value);
}

void add_constraint(Space& space, const std::string& expression, const std::string& reason) {
  space.constraints.push_back({Expression(expression, {"space.json", "/constraints"}), reason});
}

Problem any_problem(const Space& space) {
  std::vector<std::int64_t> dimensions;
  for (const Dimension& dimension : space.dimensions)
    dimensions.push_back(std::max<std::int64_t>(dimension.minimum, 8));
  return make_problem(space, dimensions, space.dtypes.front(), {});
}

Enumeration enumerate(const Space& space, const Restriction& restriction = {}) {
  return valid_configs(space, any_problem(space), TargetFacts{}, restriction);
}

std::vector<std::string> names_of(const std::vector<Config>& configs) {
  std::vector<std::string> names;
  for (const Config& config : configs) names.push_back(to_string(config));
  return names;
}

// What a test without pruning finds.
std::vector<std::string> valid_one_by_one(const Space& space) {
  std::vector<std::string> names;
  for (const Config& config : all_configs(space, {}))
    if (!why_invalid(space, any_problem(space), TargetFacts{}, config)) names.push_back(to_string(config));
  return names;
}

TEST(Enumeration, finds_what_trying_each_finds_in_the_same_order) {
  Space space = bare_space();
  for (const char* name : {"A", "B", "C", "D"}) add_tunable(space, name, 5);
  add_constraint(space, "A < B", "A must be below B");
  add_constraint(space, "mod(A + B + C, 2) == 0", "the sum must be even");
  add_constraint(space, "D == 0 || C > 2", "D needs a large C");
  const Enumeration found = enumerate(space);
  EXPECT_GT(found.valid.size(), 10U);
  EXPECT_EQ(names_of(found.valid), valid_one_by_one(space));
  EXPECT_EQ(found.invalid.count, 625 - found.valid.size());
}

TEST(Enumeration, shipped_shapes_of_constraints_count_what_they_leave_out) {
  const Space space = test::everything_space();
  const Enumeration found = enumerate(space);
  EXPECT_EQ(names_of(found.valid), valid_one_by_one(space));
  EXPECT_EQ(found.invalid.count, all_configs(space, {}).size() - found.valid.size());
}

TEST(Enumeration, lists_a_few_of_10_to_the_13_combinations) {
  Space space = bare_space();
  for (int i = 0; i < 13; ++i) add_tunable(space, "T" + std::to_string(i), 10);
  for (int i = 1; i < 13; ++i)
    add_constraint(space, "T" + std::to_string(i) + " == T" + std::to_string(i - 1), "neighbours must be equal");
  const Enumeration found = enumerate(space);
  EXPECT_EQ(found.valid.size(), 10U);
  EXPECT_EQ(found.invalid.count, 10'000'000'000'000U - 10);
  EXPECT_THAT(found.invalid.example, testing::EndsWith("T11=0 T12=1: neighbours must be equal"));
}

TEST(Enumeration, a_count_beyond_64_bits_stays_at_the_largest) {
  Space space = bare_space();
  add_tunable(space, "A", 2);
  for (int i = 0; i < 8; ++i) add_tunable(space, "T" + std::to_string(i), 300);
  add_constraint(space, "A == 1", "A must be 1");
  for (int i = 0; i < 8; ++i) add_constraint(space, "T" + std::to_string(i) + " == 7", "only 7");
  const Enumeration found = enumerate(space);
  EXPECT_THAT(names_of(found.valid), ElementsAre("A=1 T0=7 T1=7 T2=7 T3=7 T4=7 T5=7 T6=7 T7=7"));
  EXPECT_EQ(found.invalid.count, ~std::uint64_t{0});
}

TEST(Enumeration, an_example_names_the_tunables_that_decide_it) {
  Space space = bare_space();
  add_tunable(space, "A", 3);
  add_tunable(space, "B", 4);
  add_constraint(space, "A != 2", "A must not be 2");
  const Enumeration found = enumerate(space);
  EXPECT_EQ(found.invalid.count, 4U);
  EXPECT_EQ(found.invalid.example, "A=2: A must not be 2");
}

TEST(Enumeration, what_a_limit_of_the_target_forbids_is_invalid_too) {
  Space space = bare_space();
  add_tunable(space, "A", 40);
  space.plan[0].block = {Expression("32 * (A + 1)", {})};
  const Enumeration found = enumerate(space);
  EXPECT_EQ(found.valid.size(), 32U) << "blocks of up to 1024 threads";
  EXPECT_EQ(found.invalid.count, 8U);
  EXPECT_THAT(found.invalid.example, AllOf(StartsWith("A=32: "), HasSubstr("more threads than the target's 1024")));
}

// 12 / A is asked for as soon as A has a value, though what keeps A from being 0 also hangs on B.
TEST(Enumeration, a_constraint_that_another_one_guards_is_no_error) {
  Space space = bare_space();
  add_tunable(space, "A", 4);
  add_tunable(space, "B", 2);
  add_constraint(space, "A > 0 && B >= 0", "A must not be 0");
  add_constraint(space, "12 / A > 5", "A is too large");
  const Enumeration found = enumerate(space);
  EXPECT_THAT(names_of(found.valid), ElementsAre("A=1 B=0", "A=1 B=1", "A=2 B=0", "A=2 B=1"));
  EXPECT_EQ(found.invalid.count, 4U);
}

TEST(Enumeration, a_constraint_that_nothing_guards_is_an_error_with_its_configuration) {
  Space space = bare_space();
  add_tunable(space, "A", 4);
  add_constraint(space, "12 / A > 5", "A is too large");
  EXPECT_THAT(test::message_of([&] { (void)enumerate(space); }),
              AllOf(HasSubstr("space.json: /constraints: \"12 / A > 5\""), HasSubstr("for A=0")));
}

TEST(Enumeration, nothing_valid_is_bad_input_with_the_reason_of_one_that_came_furthest) {
  Space space = bare_space();
  add_tunable(space, "A", 2);
  add_constraint(space, "A > 5", "A must be above 5");
  EXPECT_THAT(test::message_of([&] {
                (void)enumerate(space, restriction_to({{"A", std::int64_t{1}}}));
              }),
              AllOf(HasSubstr("no valid configuration for"), HasSubstr(" with A=1; the first that came furthest: "),
                    HasSubstr("A=1: A must be above 5")));
}

TEST(Enumeration, a_space_too_large_to_go_through_says_so_instead_of_filling_the_memory) {
  Space space = bare_space();
  for (const char* name : {"A", "B"}) add_tunable(space, name, 10'000);
  add_constraint(space, "A + B < 0", "nothing passes");
  EXPECT_THAT(test::message_of([&] { (void)enumerate(space); }),
              AllOf(HasSubstr("/tunables: more than the two million"), HasSubstr("--fix")));
}

TEST(Restriction, keeps_a_tunable_to_some_of_its_values_in_the_space_s_order) {
  const Space space = test::everything_space();
  const Restriction restriction = parse_restriction(space, {"SPLIT=4,1", "LOAD_MODE=late"});
  EXPECT_EQ(to_string(restriction), "SPLIT=1,4 LOAD_MODE=late");
  Space free = bare_space();
  free.tunables = space.tunables;
  EXPECT_THAT(names_of(enumerate(free, restriction).valid),
              ElementsAre("SPLIT=1 LOAD_MODE=late BLOCK=32", "SPLIT=1 LOAD_MODE=late BLOCK=64",
                          "SPLIT=4 LOAD_MODE=late BLOCK=32", "SPLIT=4 LOAD_MODE=late BLOCK=64"));
}

TEST(Restriction, leaves_a_part_out_unless_all_values_are_listed) {
  const Space space = test::everything_space();
  EXPECT_FALSE(is_partial(space, {}));
  EXPECT_FALSE(is_partial(space, parse_restriction(space, {"BLOCK=32,64"})));
  EXPECT_TRUE(is_partial(space, parse_restriction(space, {"BLOCK=32"})));
  EXPECT_TRUE(is_partial(space, parse_restriction(space, {"BLOCK=64,32", "SPLIT=1,2"})));
}

TEST(Restriction, names_what_is_wrong_with_a_text) {
  const auto message = [](std::vector<std::string> texts) {
    return test::message_of([&] { (void)parse_restriction(test::everything_space(), texts); });
  };
  EXPECT_THAT(message({"BLOCK"}), StartsWith("--fix BLOCK: must be NAME=VALUE"));
  EXPECT_THAT(message({"BLOK=32"}),
              AllOf(StartsWith("--fix BLOK=32: there is no tunable \"BLOK\""), HasSubstr("BLOCK")));
  EXPECT_THAT(message({"BLOCK=32,65"}), StartsWith("--fix BLOCK=32,65: BLOCK=65 is not in the space; the values of"));
  EXPECT_THAT(message({"LOAD_MODE=late,eraly"}), HasSubstr("LOAD_MODE=eraly is not in the space"));
  EXPECT_THAT(message({"BLOCK=32,32"}), StartsWith("--fix BLOCK=32,32: BLOCK=32 is listed twice"));
  for (const char* text : {"BLOCK=", "BLOCK=,32", "BLOCK=32,", "BLOCK=32,,64"})
    EXPECT_THAT(message({text}),
                AllOf(StartsWith(std::string("--fix ") + text), HasSubstr("a value of BLOCK is missing")));
  EXPECT_THAT(message({"BLOCK=32", "BLOCK=64"}),
              AllOf(StartsWith("--fix BLOCK=64: BLOCK is given twice"), HasSubstr("BLOCK=VALUE,VALUE")));
}

}  // namespace
}  // namespace hiptune
