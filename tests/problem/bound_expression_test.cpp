#include "problem/bound_expression.hpp"

#include <gmock/gmock.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

using testing::HasSubstr;

Expression expression(const std::string& text) { return {text, {"space.json", "/constraints/0"}}; }

TEST(BoundExpression, means_what_the_expression_means_for_every_value) {
  double a = 0, b = 0;
  for (const char* text : {"a + 2 * b - c", "a ^ 2 + b * a", "ceil_div(a + 1, c) > mod(b, c)", "a > b ? a / c : b",
                           "min(a, b, c) + max(a, 3)", "is_pow2(a) && not(b == 2) || a == c", "-a ^ 2", "2 * a + 1"}) {
    BoundExpression bound(expression(text), {{"c", 4}}, {{"a", &a}, {"b", &b}});
    for (a = 0; a < 5; ++a)
      for (b = -2; b < 3; ++b)
        EXPECT_EQ(bound.evaluate(), expression(text).evaluate({{"a", a}, {"b", b}, {"c", 4}})) << text << a << b;
  }
}

TEST(BoundExpression, has_no_value_where_it_cannot_be_evaluated_and_one_again_elsewhere) {
  double a = 0;
  BoundExpression quotient(expression("8 / a > 3"), {}, {{"a", &a}});
  BoundExpression remainder(expression("mod(8, a)"), {}, {{"a", &a}});
  BoundExpression guarded(expression("a == 0 ? 1 : 8 / a"), {}, {{"a", &a}});
  for (int round = 0; round < 2; ++round) {
    a = 0;
    EXPECT_EQ(quotient.evaluate(), std::nullopt);
    EXPECT_EQ(remainder.evaluate(), std::nullopt);
    EXPECT_EQ(guarded.evaluate(), 1.0);
    a = 2;
    EXPECT_EQ(quotient.evaluate(), 1.0);
    EXPECT_EQ(remainder.evaluate(), 0.0);
    EXPECT_EQ(guarded.evaluate(), 4.0);
  }
}

TEST(BoundExpression, leaves_out_the_branch_that_is_not_taken) {
  double a = 3;
  BoundExpression literal(expression("1 ? a : mod(1, 0)"), {}, {{"a", &a}});
  BoundExpression constant(expression("c ? 1 / c : a"), {{"c", 0}}, {{"a", &a}});
  EXPECT_EQ(literal.evaluate(), 3.0);
  EXPECT_EQ(constant.evaluate(), 3.0);
}

TEST(BoundExpression, what_is_wrong_whatever_the_values_are_is_an_error) {
  double a = 0;
  const auto message = [&](const std::string& text) {
    return test::message_of([&] {
      BoundExpression bound(expression(text), {{"c", 4}}, {{"a", &a}});
      (void)bound.evaluate();
    });
  };
  EXPECT_THAT(message("a = 5"), HasSubstr("cannot assign"));
  EXPECT_EQ(a, 0);
  EXPECT_THAT(message("a + d"), HasSubstr("unknown name \"d\""));
  EXPECT_THAT(message("a + ("), HasSubstr("space.json: /constraints/0"));
  EXPECT_THAT(message("a, c"), HasSubstr("a comma outside"));
  EXPECT_THAT(message("modulo(a, 2)"), HasSubstr("unknown function \"modulo\""));
}

}  // namespace
}  // namespace hiptune
