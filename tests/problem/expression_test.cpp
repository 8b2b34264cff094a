#include "problem/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <thread>

#include "problem/expression_syntax.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using test::expression;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

const Names kNames{{"rows", 1000},          {"cols", 4096}, {"BLOCK_SIZE", 256},       {"REDUCTION", 1}, {"zero", 0},
                   {"REDUCTION.serial", 0}, {"half", 0.5},  {"REDUCTION.lds_tree", 1}, {"large", 0x1p53}};

double value_of(const std::string& text) { return expression(text).evaluate(kNames); }
std::string error_of(const std::string& text) {
  return message_of([&] { EXPECT_EQ(value_of(text), 0) << "no error for " << text; });
}

TEST(Expression, evaluates_arithmetic_comparison_and_logic) {
  EXPECT_EQ(value_of("2 * rows + cols / 2"), 4048);
  EXPECT_EQ(value_of("2^-24 * 2^24"), 1);
  EXPECT_EQ(value_of("rows > 999 && cols != 4096 || BLOCK_SIZE <= 256"), 1);
  EXPECT_EQ(value_of("1.5e-3 * 2E3"), 3);
  EXPECT_EQ(value_of("max(min(rows, cols, 7), 3)"), 7);
  EXPECT_EQ(value_of("log2(BLOCK_SIZE)"), 8);
}

TEST(Expression, compares_a_tunable_with_its_enumerators) {
  EXPECT_EQ(value_of("REDUCTION == REDUCTION.lds_tree"), 1);
  EXPECT_EQ(value_of("REDUCTION == REDUCTION.serial ? cols : 3"), 3);
}

TEST(Expression, divides_up) {
  EXPECT_EQ(value_of("ceil_div(rows, BLOCK_SIZE)"), 4);
  EXPECT_EQ(value_of("ceil_div(cols, BLOCK_SIZE)"), 16);
  EXPECT_EQ(value_of("ceil_div(1, BLOCK_SIZE)"), 1);
  EXPECT_EQ(value_of("ceil_div(0, BLOCK_SIZE)"), 0);
  EXPECT_EQ(value_of("ceil_div(-257, BLOCK_SIZE)"), -1);
}

TEST(Expression, divides_up_exactly_where_a_quotient_of_doubles_would_round) {
  // (2^53 - 1) / 2 is not a double.
  EXPECT_EQ(value_of("ceil_div(large - 1, 2)"), 0x1p52);
  EXPECT_EQ(value_of("ceil_div(large - 1, 3)"), 3002399751580331);
}

TEST(Expression, takes_remainders_that_are_not_negative) {
  EXPECT_EQ(value_of("mod(rows, BLOCK_SIZE)"), 232);
  EXPECT_EQ(value_of("mod(cols, BLOCK_SIZE)"), 0);
  EXPECT_EQ(value_of("mod(-1, BLOCK_SIZE)"), 255);
}

TEST(Expression, knows_powers_of_two) {
  for (const char* power : {"1", "2", "64", "2^52"}) EXPECT_EQ(value_of("is_pow2(" + std::string(power) + ")"), 1);
  for (const char* other : {"0", "3", "-4", "2^52 + 1"}) {
    EXPECT_EQ(value_of("is_pow2(" + std::string(other) + ")"), 0) << other;
  }
}

TEST(Expression, negates) {
  EXPECT_EQ(value_of("not(rows > 1)"), 0);
  EXPECT_EQ(value_of("not(zero)"), 1);
}

TEST(Expression, a_branch_that_is_not_taken_may_divide_by_zero) {
  EXPECT_EQ(value_of("zero == 0 ? 7 : ceil_div(rows, zero)"), 7);
  EXPECT_EQ(value_of("1 == 1 ? 7 : ceil_div(8, 0)"), 7);
}

TEST(Expression, an_error_names_place_text_and_fault) {
  EXPECT_EQ(error_of("ceil_div(rows, zero)"),
            "space.json: /here: \"ceil_div(rows, zero)\": ceil_div by 0: the divisor must be at least 1");
}

TEST(Expression, rejects_divisors_below_one) {
  EXPECT_THAT(error_of("mod(rows, zero)"), HasSubstr("mod by 0"));
  EXPECT_THAT(error_of("ceil_div(rows, -1)"), HasSubstr("ceil_div by -1"));
}

TEST(Expression, rejects_fractions_and_huge_numbers_where_integers_belong) {
  EXPECT_THAT(error_of("ceil_div(half, 2)"), HasSubstr("ceil_div takes integers"));
  EXPECT_THAT(error_of("mod(2 * large, 2)"), HasSubstr("at most 2^53"));
  EXPECT_THAT(error_of("is_pow2(0.25)"), HasSubstr("is_pow2 takes integers"));
}

// A comparison would hide them.
TEST(Expression, rejects_values_within_that_are_not_finite) {
  for (const char* text : {"rows / zero > 3", "not(rows / zero > 3)", "zero / zero == 0", "2^2000 > rows",
                           "log2(zero) < 3", "zero != 0 && rows / zero > 3"}) {
    EXPECT_THAT(error_of(text), HasSubstr(std::string("space.json: /here: \"") + text + "\": a value in it is not"));
  }
  EXPECT_EQ(value_of("zero == 0 ? 7 : rows / zero"), 7);
  EXPECT_EQ(value_of("1 ? 7 : 1 / 0"), 7);
}

TEST(Expression, evaluates_the_same_after_an_error_and_leaves_no_flags_behind) {
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_THAT(error_of("rows / zero"), HasSubstr("division by zero"));
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  std::feraiseexcept(FE_DIVBYZERO);
  EXPECT_EQ(value_of("rows / 2"), 500);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), FE_DIVBYZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(Expression, means_the_same_in_copies_and_threads_for_values_that_change) {
  const Expression original("a * 10 + b", {"space.json", "/here"});
  const Expression copy = original;
  EXPECT_EQ(original.evaluate({{"a", 1}, {"b", 2}}), 12);
  EXPECT_EQ(copy.evaluate({{"a", 3}, {"b", 4}, {"c", 5}}), 34);
  EXPECT_THROW((void)copy.evaluate({{"a", 3}}), Error);
  EXPECT_EQ(original.evaluate({{"a", 5}, {"b", 6}}), 56);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 500; ++i)
          if (original.evaluate({{"a", thread}, {"b", i}}) != thread * 10 + i) ++wrong;
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Expression, an_error_cuts_a_long_text) {
  const std::string sum = "rows + " + std::string(5000, ' ') + "colls";
  const std::string message = error_of(sum);
  EXPECT_THAT(message, HasSubstr("/here: \"rows + "));
  EXPECT_THAT(message, HasSubstr("...\": unknown name \"colls\" (did you mean \"cols\"?)"));
  EXPECT_LT(message.size(), 400u);
  EXPECT_LT(error_of(std::string(5000, 'x')).size(), 500u);
  EXPECT_LT(error_of(std::string(5000, 'x') + "(1)").size(), 500u);
}

TEST(Expression, rejects_results_that_are_not_finite) {
  EXPECT_THAT(error_of("rows / zero"), HasSubstr("not a finite number"));
  EXPECT_THAT(error_of("zero / zero"), HasSubstr("not a finite number"));
  EXPECT_THAT(error_of("log2(zero)"), HasSubstr("not a finite number"));
}

TEST(Expression, rejects_an_assignment) {
  EXPECT_THAT(error_of("rows = 5"), HasSubstr("compare with =="));
  EXPECT_EQ(kNames.at("rows"), 1000);
}

TEST(Expression, rejects_a_comma_that_separates_no_arguments) {
  EXPECT_THAT(error_of("rows, cols"), HasSubstr("comma"));
  EXPECT_THAT(error_of("0, max(1, 2)"), HasSubstr("comma"));
}

TEST(Expression, suggests_the_name_that_was_meant) {
  EXPECT_THAT(error_of("BLOCKSIZE"), HasSubstr("unknown name \"BLOCKSIZE\" (did you mean \"BLOCK_SIZE\"?)"));
  EXPECT_THAT(error_of("REDUCTION.serail"), HasSubstr("did you mean \"REDUCTION.serial\"?"));
  EXPECT_THAT(error_of("ceildiv(1, 2)"), HasSubstr("did you mean \"ceil_div\"?"));
}

TEST(Expression, rejects_muparsers_own_constants) { EXPECT_THAT(error_of("_pi"), HasSubstr("unknown name")); }

TEST(Expression, rejects_malformed_text) {
  for (const char* text : {"", "(", "rows)", "rows cols", "2rows", "rows +", "rows ? cols", "min()", "ceil_div(1)",
                           "rows % 2", "!rows", "\"rows\"", "1..2", "rows & cols", "rows; cols"}) {
    EXPECT_THAT(error_of(text), HasSubstr("space.json: /here: ")) << text;
  }
}

TEST(Expression, shows_a_foreign_character_whole) {
  EXPECT_THAT(error_of("rows × cols"), HasSubstr("unknown symbol '×'"));
}

TEST(Expression, takes_integers_only_where_one_is_needed) {
  EXPECT_EQ(expression("cols / 2").evaluate_integer(kNames), 2048);
  EXPECT_EQ(expression("large").evaluate_integer(kNames), std::int64_t{1} << 53);
  EXPECT_THAT(message_of([] { (void)expression("rows / 3").evaluate_integer(kNames); }), HasSubstr("not an integer"));
  EXPECT_THAT(message_of([] { (void)expression("2 * large").evaluate_integer(kNames); }), HasSubstr("beyond 2^53"));
  EXPECT_THAT(message_of([] { (void)expression("-2 * large").evaluate_integer(kNames); }), HasSubstr("beyond 2^53"));
}

TEST(Expression, anything_but_zero_is_true) {
  EXPECT_TRUE(expression("half").evaluate_bool(kNames));
  EXPECT_TRUE(expression("-1").evaluate_bool(kNames));
  EXPECT_FALSE(expression("zero").evaluate_bool(kNames));
}

TEST(Expression, lists_names_once_in_order_and_without_functions) {
  const Expression text = expression("max(cols, 1e5) + REDUCTION.serial * cols / ceil_div (rows, 2)");
  EXPECT_THAT(text.names_used(), ElementsAre("cols", "REDUCTION.serial", "rows"));
  EXPECT_TRUE(text.mentions("rows"));
  EXPECT_FALSE(text.mentions("max"));
  EXPECT_FALSE(text.mentions("row"));
  EXPECT_FALSE(text.mentions("REDUCTION"));
}

TEST(Expression, the_default_is_zero) { EXPECT_EQ(Expression().evaluate({}), 0); }

TEST(Expression, one_object_may_be_evaluated_from_several_threads) {
  const Expression shared = expression("ceil_div(rows, BLOCK_SIZE) + cols");
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) count += shared.evaluate(kNames) == 4100 ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(ExpressionSyntax, does_not_reject_values_that_only_some_names_give) {
  const std::vector<std::string> known{"A", "B"};
  EXPECT_NO_THROW(check_syntax(expression("ceil_div(A, B - 1)"), known));
  EXPECT_NO_THROW(check_syntax(expression("A / (B - 1)"), known));
  EXPECT_THAT(message_of([&] { check_syntax(expression("A / (B - "), known); }), HasSubstr("/here"));
  EXPECT_THAT(message_of([&] { check_syntax(expression("A / C"), known); }), HasSubstr("unknown name \"C\""));
}

}  // namespace
}  // namespace hiptune
