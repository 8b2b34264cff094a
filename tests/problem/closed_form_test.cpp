#include "problem/closed_form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::expression;
using test::message_of;
using testing::HasSubstr;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;
const std::vector<std::string> kBatch{"rows", "images"};
const Names kConstants{{"cols", 4096}, {"BLOCK", 256}, {"SERIAL", 0}, {"zero", 0}, {"rows", 11}, {"images", 13}};

ClosedForm form_of(const std::string& text) { return {expression(text), kConstants, kBatch}; }

std::int64_t value_of(const std::string& text, std::int64_t rows, std::int64_t images) {
  const std::int64_t values[] = {rows, images};
  return form_of(text).evaluate(values);
}

std::string error_of(const std::string& text) {
  return message_of([&] { (void)form_of(text); });
}

TEST(ClosedForm, agrees_with_the_expression_for_every_batch_value) {
  std::mt19937_64 random(1);
  for (const char* text :
       {"rows", "rows * images", "ceil_div(rows, BLOCK)", "ceil_div(rows, 1 + SERIAL * (BLOCK - 1))",
        "min(rows, 2 * cols)", "max(ceil_div(rows, BLOCK), images, 3)", "((rows)) * ceil_div(cols, BLOCK)",
        "ceil_div(rows * images, BLOCK) * 4", "ceil_div(rows, SERIAL == 1 ? BLOCK : 1)", "min(rows, 7, images * 2, 90)",
        "cols / 2 - 1", "2 * (rows * 3) * images", "ceil_div(cols, images)"}) {
    const ClosedForm form = form_of(text);
    for (int i = 0; i < 200; ++i) {
      const std::int64_t values[] = {static_cast<std::int64_t>(random() % 100000 + 1),
                                     static_cast<std::int64_t>(random() % 1000 + 1)};
      Names names = kConstants;
      names["rows"] = static_cast<double>(values[0]);
      names["images"] = static_cast<double>(values[1]);
      ASSERT_EQ(form.evaluate(values), expression(text).evaluate_integer(names)) << text << ' ' << values[0];
    }
  }
}

TEST(ClosedForm, knows_whether_it_is_a_constant) {
  EXPECT_TRUE(form_of("cols / 2").is_constant());
  EXPECT_TRUE(ClosedForm(5).is_constant());
  EXPECT_FALSE(form_of("min(rows, 4)").is_constant());
}

TEST(ClosedForm, a_constant_needs_no_batch_values) {
  EXPECT_EQ(ClosedForm(5).evaluate({}), 5);
  EXPECT_EQ(form_of("ceil_div(cols, BLOCK)").evaluate({}), 16);
}

TEST(ClosedForm, a_product_saturates) {
  EXPECT_EQ(value_of("rows * images", std::int64_t{1} << 40, std::int64_t{1} << 40), kLargest);
  EXPECT_EQ(value_of("rows * images * rows", kLargest, kLargest), kLargest);
  EXPECT_EQ(value_of("rows * images", std::int64_t{1} << 26, std::int64_t{1} << 27), kLargest);
  EXPECT_EQ(value_of("rows * images", (std::int64_t{1} << 26) - 1, std::int64_t{1} << 27), kLargest - (1LL << 27));
  EXPECT_EQ(value_of("rows * images", -(std::int64_t{1} << 40), std::int64_t{1} << 40), -kLargest);
}

TEST(ClosedForm, a_sum_binds_less_than_a_product_and_saturates) {
  EXPECT_EQ(value_of("2 * rows + images * 3 + 1", 5, 7), 32);
  EXPECT_EQ(value_of("(rows + 1) * 2", 5, 7), 12);
  EXPECT_EQ(value_of("rows + images", kLargest, kLargest), kLargest);
}

TEST(ClosedForm, divides_the_largest_dimension_exactly) {
  EXPECT_EQ(value_of("ceil_div(rows, 3)", kLargest - 1, 1), 3002399751580331);
}

TEST(ClosedForm, rejects_other_uses_of_a_batch_dimension) {
  for (const char* text :
       {"rows / 256", "+rows", "-rows", "rows - images", "rows > 1 ? 2 : 3", "sqrt(rows)", "mod(rows, 4)", "rows^2",
        "rows == 1", "2 * -rows", "(rows + 255) / 2", "ceil_div(rows)", "ceil_div(rows, 2, 3)", "min(rows, 2) - 1",
        "rows +", "min(rows,)", "rows *", "2 rows", "rows, 2"}) {
    EXPECT_THAT(error_of(text), HasSubstr("it may only use ceil_div, min, max, sums and products")) << text;
  }
}

TEST(ClosedForm, an_error_names_the_place) {
  EXPECT_THAT(error_of("rows - 1"), HasSubstr("space.json: /here: \"rows - 1\""));
}

TEST(ClosedForm, rejects_constants_that_are_not_integers) {
  EXPECT_THAT(error_of("rows * (cols / 3)"), HasSubstr("not an integer"));
  EXPECT_THAT(error_of("min(rows, 2^60)"), HasSubstr("beyond 2^53"));
}

TEST(ClosedForm, rejects_a_division_by_zero) {
  EXPECT_THAT(error_of("ceil_div(rows, zero)"), HasSubstr("ceil_div by 0"));
  EXPECT_THAT(error_of("ceil_div(rows, zero - 1)"), HasSubstr("ceil_div by -1"));
}

TEST(ClosedForm, divides_by_a_batch_dimension_without_ever_failing) {
  EXPECT_EQ(value_of("ceil_div(cols, rows)", 1000, 1), 5);
  EXPECT_EQ(value_of("ceil_div(cols, rows)", 0, 1), 0);
}

std::string nested_minimum(int depth) {
  std::string text = "rows";
  for (int i = 0; i < depth; ++i) text = "min(" + std::to_string(i + 1000) + ", " + text + ")";
  return text;
}

TEST(ClosedForm, evaluates_down_to_its_greatest_depth_and_rejects_more) {
  EXPECT_EQ(value_of(nested_minimum(15), 7, 1), 7);
  EXPECT_THAT(error_of(nested_minimum(16)), HasSubstr("nested too deeply"));
}

TEST(ClosedForm, a_long_list_is_not_deep) {
  std::string list = "rows";
  for (int i = 0; i < 100; ++i) list += ", " + std::to_string(i + 50);
  EXPECT_EQ(value_of("min(" + list + ")", 70, 1), 50);
}

}  // namespace
}  // namespace hiptune
