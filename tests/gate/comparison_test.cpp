#include "gate/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hiptune {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Limit kLimit{0.5, 0};

using testing::HasSubstr;
using testing::Optional;

// 2 rows of 2 elements with a gap of one between them, 8 bytes of guard around: 5 elements from byte 8 to byte 28
// or 48.
BufferLayout two_by_two(Dtype type) { return {{2, 2, type}, 3, 8, 8 + 5 * size_of(type) + 8}; }

std::vector<std::byte> image_of(const BufferLayout& layout, const std::vector<double>& values) {
  std::vector<std::byte> image(layout.bytes);
  for (std::int64_t i = 0; i < layout.shape.elements(); ++i)
    store_from_double(image.data() + layout.offset(i / layout.shape.cols, i % layout.shape.cols), layout.shape.type,
                      values[static_cast<std::size_t>(i)]);
  return image;
}

Comparison compared(const std::vector<double>& values, const std::vector<double>& oracle, const Limit& limit = kLimit,
                    Dtype type = Dtype::f64) {
  const BufferLayout layout = two_by_two(type);
  return compare(layout, image_of(layout, values), oracle, limit);
}

TEST(Compare, passes_what_is_within_the_limit_and_reports_the_largest_errors) {
  const Comparison result = compared({1, 2.25, -4.125, 0}, {1, 2, -4, 0});
  EXPECT_EQ(result.failure, std::nullopt);
  EXPECT_EQ(result.errors.absolute, 0.25);
  EXPECT_EQ(result.errors.relative, 0) << "no part of this limit is relative";
  EXPECT_EQ(result.errors.in_limits, 0.5);
}

TEST(Compare, passes_the_limit_itself_and_nothing_beyond) {
  EXPECT_EQ(compared({1.5, 0, 0, 0}, {1, 0, 0, 0}).failure, std::nullopt);
  EXPECT_NE(compared({std::nextafter(1.5, 2.0), 0, 0, 0}, {1, 0, 0, 0}).failure, std::nullopt);
  EXPECT_EQ(compared({10.5, 0, 0, 0}, {8, 0, 0, 0}, {0.5, 0.25}).failure, std::nullopt);
  EXPECT_NE(compared({10.5625, 0, 0, 0}, {8, 0, 0, 0}, {0.5, 0.25}).failure, std::nullopt);
}

TEST(Compare, wants_the_same_value_where_the_limit_is_zero) {
  EXPECT_EQ(compared({1, 2, 3, 0}, {1, 2, 3, -0.0}, {0, 0}).failure, std::nullopt);
  const Comparison other = compared({1, 2, 3, 1e-300}, {1, 2, 3, 0}, {0, 0});
  EXPECT_NE(other.failure, std::nullopt);
  EXPECT_EQ(other.errors.in_limits, kInfinity);
}

TEST(Compare, never_passes_a_nan_that_the_oracle_does_not_have) {
  for (double oracle : {0.0, 1.0, kInfinity, -kInfinity}) {
    const Comparison result = compared({0, kNan, 0, 0}, {0, oracle, 0, 0}, {1e300, 1e300});
    EXPECT_THAT(result.failure, Optional(HasSubstr("[0, 1] is nan"))) << oracle;
    EXPECT_EQ(result.errors.in_limits, kInfinity);
  }
  EXPECT_THAT(compared({0, -kNan, 0, 0}, {0, 1, 0, 0}).failure, Optional(HasSubstr("[0, 1] is nan")));
}

TEST(Compare, wants_nan_and_infinities_where_the_oracle_has_them) {
  const std::vector<double> oracle{kNan, kInfinity, -kInfinity, 1};
  EXPECT_EQ(compared(oracle, oracle).failure, std::nullopt);
  EXPECT_NE(compared({0, kInfinity, -kInfinity, 1}, oracle, {1e300, 1}).failure, std::nullopt);
  EXPECT_NE(compared({kNan, 1e308, -kInfinity, 1}, oracle, {1e300, 1}).failure, std::nullopt);
  EXPECT_NE(compared({kNan, kInfinity, kInfinity, 1}, oracle, {1e300, 1}).failure, std::nullopt);
  EXPECT_NE(compared({kNan, kInfinity, -kInfinity, kInfinity}, oracle, {1e300, 1}).failure, std::nullopt);
}

TEST(Compare, names_the_worst_element) {
  EXPECT_THAT(compared({2, 3, 9, 4}, {1, 1, 1, 1}).failure,
              Optional(std::string("[1, 0] is 9, the oracle says 1, limit 0.5")));
  // By limits, not by size: 1 of 0.5 is worse than 2 of 100.5.
  EXPECT_THAT(compared({1002, 0, 0, 1}, {1000, 0, 0, 0}, {0.5, 0.1}).failure, Optional(HasSubstr("[1, 1] is 1")));
  EXPECT_THAT(compared({1e30, 0, kNan, 0}, {0, 0, 0, 0}).failure, Optional(HasSubstr("[1, 0] is nan")));
}

TEST(Compare, takes_the_relative_error_where_the_relative_limit_is_the_larger) {
  const Limit limit{0.5, 0.25};
  EXPECT_EQ(compared({2.25, 1.5, 0, 0}, {2, 1, 0, 0}, limit).errors.relative, 0.125);
}

TEST(Compare, leaves_elements_whose_oracle_is_zero_out_of_the_relative_error) {
  EXPECT_EQ(compared({0.25, 1, 1, 1}, {0, 1, 1, 1}).errors.relative, 0);
}

TEST(Compare, reads_every_type) {
  for (Dtype type : {Dtype::f32, Dtype::f64, Dtype::i32, Dtype::i64}) {
    EXPECT_EQ(compared({1, -2, 3, 4}, {1, -2, 3, 4}, {0, 0}, type).failure, std::nullopt) << to_string(type);
    EXPECT_THAT(compared({1, -2, 3, 4}, {1, -2, 3, 5}, {0, 0}, type).failure, Optional(HasSubstr("[1, 1] is 4")));
  }
}

TEST(ErrorSummary, merges_to_the_larger_of_each) {
  ErrorSummary errors{1, 5, 3};
  errors.merge({2, 4, kInfinity});
  EXPECT_EQ(errors.absolute, 2);
  EXPECT_EQ(errors.relative, 5);
  EXPECT_EQ(errors.in_limits, kInfinity);
}

class Surroundings : public testing::Test {
 protected:
  // What is reported after `byte` alone was changed.
  std::optional<std::string> after_change_of(std::size_t byte) const {
    std::vector<std::byte> after = before_;
    after[byte] ^= std::byte{1};
    return damaged_surroundings(layout_, before_, after);
  }

  const BufferLayout layout_ = two_by_two(Dtype::f32);
  const std::vector<std::byte> before_ = image_of(layout_, {1, 2, 3, 4});
};

TEST_F(Surroundings, are_intact_where_only_elements_changed) {
  EXPECT_EQ(damaged_surroundings(layout_, before_, image_of(layout_, {5, 6, 7, 8})), std::nullopt);
  EXPECT_EQ(damaged_surroundings(layout_, before_, before_), std::nullopt);
}

TEST_F(Surroundings, name_the_place_of_a_write_into_a_guard_or_gap) {
  EXPECT_THAT(after_change_of(0), Optional(std::string("8 bytes before its first element")));
  EXPECT_THAT(after_change_of(7), Optional(std::string("1 bytes before its first element")));
  EXPECT_THAT(after_change_of(16), Optional(std::string("in the gap after row 0")));
  EXPECT_THAT(after_change_of(19), Optional(std::string("in the gap after row 0")));
  EXPECT_THAT(after_change_of(28), Optional(std::string("1 elements past its end")));
  EXPECT_THAT(after_change_of(35), Optional(std::string("2 elements past its end")));
}

TEST_F(Surroundings, are_every_byte_that_belongs_to_no_element) {
  int damaged = 0;
  for (std::size_t byte = 0; byte < layout_.bytes; ++byte) damaged += after_change_of(byte).has_value();
  EXPECT_EQ(damaged, static_cast<int>(layout_.bytes) - 16);
}

TEST_F(Surroundings, are_looked_at_behind_elements_that_changed) {
  std::vector<std::byte> after = image_of(layout_, {5, 6, 7, 8});
  after.back() ^= std::byte{1};
  EXPECT_THAT(damaged_surroundings(layout_, before_, after), Optional(HasSubstr("past its end")));
}

}  // namespace
}  // namespace hiptune
