#include "problem/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hiptune {
namespace {

TEST(Dtype, names_lead_back_to_the_dtype) {
  ASSERT_EQ(dtype_names().size(), 4U);
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
}

TEST(Dtype, an_i64_is_long_long_as_every_device_compiler_has_it_with_64_bits) {
  EXPECT_EQ(cpp_name(Dtype::i64), "long long");
  EXPECT_EQ(cpp_name(Dtype::f32), "float");
}

TEST(Dtype, tells_floating_types_from_integers) {
  EXPECT_TRUE(is_floating(Dtype::f32) && is_floating(Dtype::f64));
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

}  // namespace
}  // namespace hiptune
