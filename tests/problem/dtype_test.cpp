#include "problem/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hiptune {
namespace {

TEST(Dtype, names_lead_back_to_the_dtype) {
  ASSERT_EQ(dtype_names().size(), 6U);
  for (const std::string& name : dtype_names()) {
    const std::optional<Dtype> dtype = parse_dtype(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(to_string(*dtype), name);
  }
}

TEST(Dtype, rejects_other_names) {
  EXPECT_FALSE(parse_dtype("float"));
  EXPECT_FALSE(parse_dtype(""));
  EXPECT_FALSE(parse_dtype("F32"));
}

TEST(Dtype, has_the_size_that_its_name_says) {
  EXPECT_EQ(size_of(Dtype::f32), 4U);
  EXPECT_EQ(size_of(Dtype::f64), 8U);
  EXPECT_EQ(size_of(Dtype::i32), 4U);
  EXPECT_EQ(size_of(Dtype::i64), 8U);
  EXPECT_EQ(size_of(Dtype::f16), 2U);
  EXPECT_EQ(size_of(Dtype::bf16), 2U);
}

TEST(Dtype, an_i64_is_long_long_as_every_device_compiler_has_it_with_64_bits) {
  EXPECT_EQ(cpp_name(Dtype::i64), "long long");
  EXPECT_EQ(cpp_name(Dtype::f32), "float");
}

TEST(Dtype, tells_floating_types_from_integers) {
  EXPECT_TRUE(is_floating(Dtype::f32) && is_floating(Dtype::f64));
  EXPECT_TRUE(is_floating(Dtype::f16) && is_floating(Dtype::bf16));
  EXPECT_FALSE(is_floating(Dtype::i32) || is_floating(Dtype::i64));
}

TEST(Dtype, stores_and_loads_elements_at_any_address) {
  for (const std::string& name : dtype_names()) {
    const Dtype dtype = *parse_dtype(name);
    std::array<unsigned char, 24> bytes{};
    store_from_double(bytes.data() + 3, dtype, -42);
    EXPECT_EQ(load_as_double(bytes.data() + 3, dtype), -42) << name;
    EXPECT_EQ(bytes[2], 0) << name;
    EXPECT_EQ(bytes[3 + size_of(dtype)], 0) << name;
  }
}

TEST(Dtype, an_f32_holds_what_a_float_holds) {
  float element = 0;
  store_from_double(&element, Dtype::f32, 0.1);
  EXPECT_EQ(element, 0.1F);
  store_from_double(&element, Dtype::f32, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isinf(load_as_double(&element, Dtype::f32)));
  store_from_double(&element, Dtype::f32, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(load_as_double(&element, Dtype::f32)));
}

std::uint16_t bits_of(Dtype dtype, double value) {
  std::uint16_t bits = 0;
  store_from_double(&bits, dtype, value);
  return bits;
}

double value_of(Dtype dtype, std::uint16_t bits) { return load_as_double(&bits, dtype); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Dtype, an_f16_is_ieee_binary16) {
  const std::pair<double, std::uint16_t> known[] = {
      {0.0, 0x0000},         {-0.0, 0x8000},           {1.0, 0x3C00},       {-2.0, 0xC000},
      {65504.0, 0x7BFF},     {0x1p-14, 0x0400},        {0x1p-24, 0x0001},   {0x3p-24, 0x0003},
      {0x1.FF8p-15, 0x03FF}, {0.333251953125, 0x3555}, {kInfinity, 0x7C00}, {-kInfinity, 0xFC00}};
  for (const auto& [value, bits] : known) {
    EXPECT_EQ(bits_of(Dtype::f16, value), bits) << value;
    EXPECT_EQ(value_of(Dtype::f16, bits), value) << bits;
    EXPECT_EQ(std::signbit(value_of(Dtype::f16, bits)), std::signbit(value)) << bits;
  }
}

TEST(Dtype, a_bf16_is_the_upper_half_of_an_f32) {
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    const auto bits = static_cast<std::uint16_t>(upper);
    const double value = std::bit_cast<float>(upper << 16);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(value_of(Dtype::bf16, bits))) << upper;
      continue;
    }
    ASSERT_EQ(value_of(Dtype::bf16, bits), value) << upper;
    ASSERT_EQ(bits_of(Dtype::bf16, value), bits) << upper;
  }
}

#ifdef __FLT16_MANT_DIG__
// The compiler's own type, for every pattern and for values next to the middle between two.
TEST(Dtype, an_f16_is_what_the_compiler_has) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const auto value = static_cast<double>(std::bit_cast<_Float16>(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(value_of(Dtype::f16, bits))) << pattern;
      continue;
    }
    ASSERT_EQ(value_of(Dtype::f16, bits), value) << pattern;
    ASSERT_EQ(bits_of(Dtype::f16, value), bits) << pattern;
    if ((bits & 0x7FFF) >= 0x7BFF) continue;
    const double next = value_of(Dtype::f16, static_cast<std::uint16_t>(bits + 1)), middle = (value + next) / 2;
    for (const double near : {std::nextafter(middle, value), middle, std::nextafter(middle, next)})
      ASSERT_EQ(bits_of(Dtype::f16, near), std::bit_cast<std::uint16_t>(static_cast<_Float16>(near))) << pattern;
  }
}
#endif

TEST(Dtype, numbers_of_16_bits_are_rounded_once_and_to_even) {
  EXPECT_EQ(bits_of(Dtype::f16, 1 + 0x1p-11), 0x3C00) << "a tie";
  EXPECT_EQ(bits_of(Dtype::f16, 1 + 0x3p-11), 0x3C02) << "a tie";
  EXPECT_EQ(bits_of(Dtype::bf16, 1 + 0x1p-8), 0x3F80) << "a tie";
  // By way of an f32 these would become the tie, and then even.
  EXPECT_EQ(bits_of(Dtype::f16, 1 + 0x1p-11 + 0x1p-40), 0x3C01);
  EXPECT_EQ(bits_of(Dtype::bf16, 1 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(bits_of(Dtype::f16, 0x1p-25), 0x0000) << "half of the smallest subnormal number is a tie";
  EXPECT_EQ(bits_of(Dtype::f16, 0x1p-25 + 0x1p-60), 0x0001);
  EXPECT_EQ(bits_of(Dtype::f16, -1e-300), 0x8000);
  EXPECT_EQ(bits_of(Dtype::f16, std::numeric_limits<double>::denorm_min()), 0x0000);
  EXPECT_EQ(bits_of(Dtype::f16, 0x1p-14 - 0x1p-26), 0x0400) << "a subnormal number that rounds to a normal one";
}

TEST(Dtype, what_is_too_large_for_16_bits_becomes_infinite_and_a_nan_stays_one) {
  EXPECT_EQ(bits_of(Dtype::f16, 65519.99), 0x7BFF);
  EXPECT_EQ(bits_of(Dtype::f16, 65520), 0x7C00) << "the middle between the largest number and the next";
  EXPECT_EQ(bits_of(Dtype::f16, -1e300), 0xFC00);
  EXPECT_EQ(bits_of(Dtype::bf16, std::numeric_limits<float>::max()), 0x7F80);
  // With its payload in bits that 16 do not have.
  for (const double nan : {kNan, -kNan, std::bit_cast<double>(0x7FF0000000000001ULL)})
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) EXPECT_TRUE(std::isnan(value_of(dtype, bits_of(dtype, nan))));
}

TEST(Dtype, the_largest_finite_value_is_one_and_the_next_is_not) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const std::uint16_t bits = bits_of(dtype, largest_finite(dtype));
    EXPECT_EQ(value_of(dtype, bits), largest_finite(dtype));
    EXPECT_TRUE(std::isinf(value_of(dtype, static_cast<std::uint16_t>(bits + 1))));
  }
}

}  // namespace
}  // namespace hiptune
