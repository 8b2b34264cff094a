#include "gate/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gate_bench.hpp"

namespace hiptune {
namespace {

using test::row_rms;
using test::shipped_kernel;

std::vector<Pattern> all_patterns() {
  std::vector<Pattern> patterns = adversarial_patterns();
  patterns.push_back(Pattern::random);
  return patterns;
}

std::vector<double> values_of(const BufferLayout& layout, const Image& image) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < layout.shape.rows; ++row)
    for (std::int64_t col = 0; col < layout.shape.cols; ++col)
      values.push_back(load_as_double(image.data() + layout.offset(row, col), layout.shape.type));
  return values;
}

// RMSNorm's buffers at 5 x 7 with gaps: x and w in, y out.
class Inputs : public testing::Test {
 protected:
  [[nodiscard]] Images make(Pattern pattern, std::uint64_t seed = 1) const {
    return make_images(layouts_, pattern, seed);
  }
  [[nodiscard]] std::vector<double> x(Pattern pattern) const { return values_of(layouts_[0], make(pattern)[0]); }

  const Space space_ = row_rms().space;
  const Problem problem_ = make_problem(space_, {5, 7}, Dtype::f32, {});
  const std::vector<BufferLayout> layouts_ = buffer_layouts(space_, problem_, {}, true);
};

TEST_F(Inputs, lie_within_the_domain_in_every_pattern) {
  for (Pattern pattern : all_patterns()) {
    const Images images = make(pattern);
    for (std::size_t i = 0; i < 2; ++i) {
      const Domain& domain = space_.buffers()[i]->domain;
      for (double value : values_of(layouts_[i], images[i])) {
        if (!std::isfinite(value) || value == 0) continue;
        EXPECT_GE(std::abs(value), domain.smallest * (1 - 1e-7)) << to_string(pattern);
        EXPECT_LE(std::abs(value), domain.largest * (1 + 1e-7)) << to_string(pattern);
      }
    }
  }
}

TEST_F(Inputs, are_what_their_patterns_say) {
  const auto is_zero = [](double value) { return value == 0; };
  EXPECT_TRUE(std::ranges::all_of(x(Pattern::zeros), is_zero));
  EXPECT_EQ(std::ranges::count(x(Pattern::one_element), 0.0), 34);
  EXPECT_EQ(std::ranges::count_if(x(Pattern::random), is_zero), 0);
  EXPECT_TRUE(std::ranges::all_of(x(Pattern::huge), [](double value) { return std::abs(value) > 4e14; }));
  EXPECT_TRUE(std::ranges::all_of(x(Pattern::tiny), [](double value) { return std::abs(value) < 3e-15; }));
  const std::vector<double> ramp = x(Pattern::ramp);
  EXPECT_TRUE(std::ranges::is_sorted(ramp));
  EXPECT_LT(ramp.front(), ramp.back());
  const std::vector<double> signs = x(Pattern::mixed_signs);
  for (std::size_t i = 0; i < signs.size(); ++i) EXPECT_EQ(std::signbit(signs[i]), i % 2 == 1);
}

TEST_F(Inputs, hold_one_nan_or_infinity_in_one_row_and_the_vectors_have_a_nan_of_their_own) {
  for (auto [pattern, is_marked] : {std::pair{Pattern::not_a_number, +[](double value) { return std::isnan(value); }},
                                    std::pair{Pattern::infinite, +[](double value) { return std::isinf(value); }}}) {
    const Images images = make(pattern);
    EXPECT_EQ(std::ranges::count_if(values_of(layouts_[0], images[0]), is_marked), 1) << to_string(pattern);
    EXPECT_EQ(std::ranges::count_if(values_of(layouts_[1], images[1]), is_marked), 0) << to_string(pattern);
  }
  const Images images = make(Pattern::nan_in_vector);
  const auto is_nan = [](double value) { return std::isnan(value); };
  EXPECT_EQ(std::ranges::count_if(values_of(layouts_[0], images[0]), is_nan), 0);
  EXPECT_EQ(std::ranges::count_if(values_of(layouts_[1], images[1]), is_nan), 1);
}

TEST_F(Inputs, are_finite_in_every_other_pattern) {
  for (Pattern pattern : all_patterns()) {
    if (pattern == Pattern::not_a_number || pattern == Pattern::infinite) continue;
    EXPECT_TRUE(std::ranges::all_of(x(pattern), [](double value) { return std::isfinite(value); }));
  }
}

TEST_F(Inputs, repeat_with_the_seed_and_differ_with_another) {
  EXPECT_EQ(make(Pattern::random, 1), make(Pattern::random, 1));
  const Images other = make(Pattern::random, 2);
  EXPECT_NE(make(Pattern::random, 1)[0], other[0]);
  EXPECT_NE(make(Pattern::random, 1)[1], other[1]);
}

TEST_F(Inputs, differ_between_elements_and_between_buffers) {
  std::vector<double> values = x(Pattern::random);
  const std::vector<double> weights = values_of(layouts_[1], make(Pattern::random)[1]);
  values.insert(values.end(), weights.begin(), weights.end());
  std::ranges::sort(values);
  EXPECT_EQ(std::ranges::adjacent_find(values), values.end());
}

TEST_F(Inputs, poison_outputs_and_what_surrounds_inputs_and_guard_the_rest) {
  const Images images = make(Pattern::random);
  const BufferLayout& x = layouts_[0];
  const BufferLayout& y = layouts_[2];
  ASSERT_GT(x.stride, 7);
  for (double value : values_of(y, images[2])) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(load_as_double(images[0].data() + x.offset(0, 7), Dtype::f32)));
  EXPECT_EQ(images[2][y.offset(0, 7)], kGuardByte);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::size_t end = layouts_[i].offset(layouts_[i].shape.rows - 1, layouts_[i].shape.cols);
    EXPECT_EQ(images[i].size(), layouts_[i].bytes);
    const std::byte guard = i == 2 ? kGuardByte : kPoisonByte;
    EXPECT_TRUE(std::all_of(images[i].begin(), images[i].begin() + static_cast<std::ptrdiff_t>(layouts_[i].first_byte),
                            [&](std::byte byte) { return byte == guard; }));
    EXPECT_TRUE(std::all_of(images[i].begin() + static_cast<std::ptrdiff_t>(end), images[i].end(),
                            [&](std::byte byte) { return byte == guard; }));
  }
}

TEST_F(Inputs, of_a_second_run_are_the_same_between_finite_values_that_differ_from_buffer_to_buffer) {
  const Images images = make(Pattern::random);
  for (const std::byte poison : {kLargePoisonByte, kNegativePoisonByte}) {
    const Images again = repoisoned(layouts_, images, poison);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(values_of(layouts_[i], again[i]), values_of(layouts_[i], images[i]));
    const double sign = poison == kLargePoisonByte ? 1 : -1;
    for (double value : values_of(layouts_[2], again[2])) EXPECT_GT(sign * value, 1e36);
    const double behind_x = load_as_double(again[0].data() + layouts_[0].offset(4, 7), Dtype::f32);
    const double behind_y = load_as_double(again[2].data() + layouts_[2].offset(4, 7), Dtype::f32);
    EXPECT_GT(sign * behind_x, 1e30);
    EXPECT_GT(sign * behind_y, 1e30);
    EXPECT_NE(behind_x, behind_y);
  }
}

// A row of elements of a made-up input.
std::vector<double> drawn(Dtype type, const Domain& domain, Pattern pattern) {
  const BufferLayout layout{{1, 100, type}, 100, 0, 100 * size_of(type), {.type = type, .domain = domain}};
  return values_of(layout, make_images({layout}, pattern, 1)[0]);
}

TEST(InputsOfADomain, that_leaves_out_one_still_differ_and_stay_within_it) {
  for (Pattern pattern : all_patterns())
    for (double value : drawn(Dtype::f32, {300, 400, false}, pattern))
      EXPECT_TRUE(value == 0 || (std::abs(value) >= 300 && std::abs(value) <= 400)) << to_string(pattern) << value;
  EXPECT_NE(drawn(Dtype::f32, {300, 400, false}, Pattern::random),
            std::vector<double>(100, drawn(Dtype::f32, {300, 400, false}, Pattern::random)[0]));
}

TEST(InputsOfADomain, of_integers_are_not_all_zero_or_one) {
  for (const Domain& domain : {Domain{0, 9, false}, Domain{1, 9, false}}) {
    const std::vector<double> values = drawn(Dtype::i32, domain, Pattern::random);
    EXPECT_GT(std::ranges::count_if(values, [](double value) { return std::abs(value) > 1; }), 50);
    EXPECT_TRUE(std::ranges::all_of(values, [](double value) { return std::abs(value) <= 9; }));
  }
}

TEST(InputsOfADomain, stay_within_it_as_their_type_rounds_them) {
  // Neither end is a number of any of these types.
  for (const Dtype type : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (const Domain& domain : {Domain{1e-3, 1e4, true}, Domain{0.3, 0.7, true}, Domain{1e-6, 3e-6, true}})
      for (Pattern pattern : all_patterns())
        for (double value : drawn(type, domain, pattern)) {
          if (value == 0 || !std::isfinite(value)) continue;
          EXPECT_GE(std::abs(value), domain.smallest) << to_string(type) << " " << to_string(pattern);
          EXPECT_LE(std::abs(value), domain.largest) << to_string(type) << " " << to_string(pattern);
        }
}

TEST(InputsOfADomain, reach_the_largest_number_of_a_type_and_not_beyond) {
  for (const Dtype type : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (double value : drawn(type, {1, largest_finite(type), false}, Pattern::huge)) {
      EXPECT_TRUE(std::isfinite(value)) << to_string(type);
      EXPECT_GE(std::abs(value), largest_finite(type) / 2.01) << to_string(type);
    }
}

TEST(Poison, is_large_and_finite_in_every_floating_type_and_its_surroundings_are_too) {
  for (const Dtype type : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64})
    for (const std::byte poison : {kLargePoisonByte, kNegativePoisonByte})
      for (std::size_t index = 0; index < 16; ++index) {
        const Fill fill = fill_of({.role = Role::out, .type = type}, index, poison);
        for (const std::byte byte : {fill.element, fill.around}) {
          const Image element(8, byte);
          const double value = load_as_double(element.data(), type);
          EXPECT_TRUE(std::isfinite(value)) << to_string(type);
          EXPECT_GT((poison == kLargePoisonByte ? 1 : -1) * value, 1000) << to_string(type) << " " << index;
        }
        EXPECT_NE(fill.element, fill.around);
      }
}

TEST(Poison, around_an_input_is_nan_in_every_floating_type) {
  for (const Dtype type : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    const Image element(8, fill_of({.role = Role::in, .type = type}, 0, kPoisonByte).around);
    EXPECT_TRUE(std::isnan(load_as_double(element.data(), type))) << to_string(type);
  }
}

std::vector<BufferLayout> layouts_of(const Space& space, const std::vector<std::int64_t>& dimensions) {
  return buffer_layouts(space, make_problem(space, dimensions, Dtype::f32, {}), {}, true);
}

TEST(Patterns, with_nan_or_infinity_apply_only_where_the_domain_has_them) {
  Space space = row_rms().space;
  for (Pattern pattern : all_patterns()) EXPECT_TRUE(applies(pattern, layouts_of(space, {5, 7})));
  for (Argument& argument : space.arguments)
    if (auto* buffer = std::get_if<BufferArgument>(&argument)) buffer->domain.non_finite = false;
  EXPECT_FALSE(applies(Pattern::not_a_number, layouts_of(space, {5, 7})));
  EXPECT_FALSE(applies(Pattern::infinite, layouts_of(space, {5, 7})));
  EXPECT_TRUE(applies(Pattern::huge, layouts_of(space, {5, 7})));
  EXPECT_FALSE(applies(Pattern::infinite, layouts_of(shipped_kernel("copy").space, {9}))) << "it has no rows";
}

}  // namespace
}  // namespace hiptune
