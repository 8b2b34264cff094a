#include "dispatch/signature.hpp"

#include <gmock/gmock.h>

#include <array>
#include <limits>

#include "dispatch/world.hpp"

namespace hiptune {
namespace {

using detail::argument_type;

Space shipped(const std::string& name) { return KernelPath({}, {}).load(name).space; }

Signature rmsnorm_signature() {
  using P = const float*;
  using I = std::int64_t;
  return {KernelPath({test::World::test_kernels()}, {}).load("row_rms").space,
          Dtype::f32,
          {argument_type<P>(), argument_type<P>(), argument_type<float*>(), argument_type<I>(), argument_type<I>(),
           argument_type<I>(), argument_type<I>(), argument_type<float>()},
          {},
          TargetFacts{}};
}

// One call of RMSNorm, whose values a test changes before it reads them.
struct Call {
  alignas(16) std::array<float, 64> memory{};
  const float* x = memory.data();
  const float* w = memory.data();
  float* y = memory.data();
  std::int64_t rows = 2, cols = 8, x_stride = 8, y_stride = 8;
  float epsilon = 1e-5f;
  std::array<void*, 8> arguments{&x, &w, &y, &rows, &cols, &x_stride, &y_stride, &epsilon};

  [[nodiscard]] Status status() const { return rmsnorm_signature().read(arguments.data()).status; }
  [[nodiscard]] std::string words() const {
    const Signature signature = rmsnorm_signature();
    return signature.describe(signature.read(arguments.data()), arguments.data());
  }
};

TEST(Signature, reads_the_dimensions_of_a_good_call) {
  const Call call;
  const Signature signature = rmsnorm_signature();
  const CallReading reading = signature.read(call.arguments.data());
  EXPECT_EQ(reading.status, Status::success);
  EXPECT_FALSE(reading.is_empty);
  EXPECT_THAT(signature.dimensions_of(reading.key), testing::ElementsAre(2, 8));
  EXPECT_THAT(signature.batch_of(reading.key).span(), testing::ElementsAre(2));
  EXPECT_THAT(signature.dimensions_of(signature.without_batch(reading.key)), testing::ElementsAre(0, 8));
}

TEST(Signature, no_rows_are_success_even_without_buffers) {
  Call call;
  call.rows = 0;
  call.x = nullptr;
  const CallReading reading = rmsnorm_signature().read(call.arguments.data());
  EXPECT_EQ(reading.status, Status::success);
  EXPECT_TRUE(reading.is_empty);
}

TEST(Signature, no_columns_are_wrong_even_without_rows) {
  Call call;
  call.rows = call.cols = 0;
  EXPECT_EQ(call.status(), Status::invalid_dimension);
  EXPECT_EQ(call.words(), "cols is 0, and must be from 1 to 16777216");
}

TEST(Signature, negative_and_too_large_dimensions_are_named) {
  Call call;
  call.rows = -1;
  EXPECT_EQ(call.status(), Status::invalid_dimension);
  EXPECT_THAT(call.words(), testing::StartsWith("rows is -1"));
  call.rows = 2;
  call.cols = std::int64_t{1} << 40;
  EXPECT_THAT(call.words(), testing::StartsWith("cols is 1099511627776"));
}

TEST(Signature, a_stride_shorter_than_a_row_is_named_and_a_longer_one_is_good) {
  Call call;
  call.y_stride = 7;
  EXPECT_EQ(call.status(), Status::invalid_stride);
  EXPECT_EQ(call.words(), "y_stride is 7, and a row of y has 8 elements");
  call.y_stride = 9;
  EXPECT_EQ(call.status(), Status::success);
  call.y_stride = -8;
  EXPECT_EQ(call.status(), Status::invalid_stride);
}

TEST(Signature, a_null_buffer_is_named) {
  Call call;
  call.w = nullptr;
  EXPECT_EQ(call.status(), Status::null_pointer);
  EXPECT_EQ(call.words(), "w is null");
}

TEST(Signature, a_pointer_between_two_elements_is_named) {
  Call call;
  call.y = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(call.y) + 2);
  EXPECT_EQ(call.status(), Status::misaligned_pointer);
  EXPECT_EQ(call.words(), "y does not begin at a multiple of 4 bytes, the size of its elements");
}

TEST(Signature, a_scalar_outside_its_range_is_named_and_the_ends_are_in_it) {
  Call call;
  for (const float good : {1e-12f, 1.0f}) {
    call.epsilon = good;
    EXPECT_EQ(call.status(), Status::success) << good;
  }
  for (const float bad : {0.0f, -1e-5f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    call.epsilon = bad;
    EXPECT_EQ(call.status(), Status::invalid_scalar) << bad;
  }
  call.epsilon = 1.5f;
  EXPECT_EQ(call.words(), "epsilon is 1.5, and must be from 1e-12 to 1");
}

// The alignment that the dispatcher finds for a copy of addresses x and y.
Value alignment_of(std::uintptr_t x, std::uintptr_t y) {
  const Space space = shipped("copy");
  const Signature signature(space, Dtype::f32,
                            {argument_type<const float*>(), argument_type<float*>(), argument_type<std::int64_t>()}, {},
                            TargetFacts{});
  std::int64_t elements = 5;
  std::array<void*, 3> arguments{&x, &y, &elements};
  return signature.problem_of(space, signature.read(arguments.data()).key).traits.at(0).second;
}

TEST(Signature, the_alignment_is_what_divides_every_address) {
  EXPECT_EQ(alignment_of(0x1000, 0x2000), Value(std::int64_t{16}));
  EXPECT_EQ(alignment_of(0x1000, 0x2008), Value(std::int64_t{8}));
  EXPECT_EQ(alignment_of(0x1004, 0x2000), Value(std::int64_t{4}));
}

TEST(Signature, row_strides_count_for_the_alignment_and_no_alignment_below_an_element_is_found) {
  const Space space = read_space(R"({
    "schema_version": 1, "kernel": "k", "description": "made up",
    "dimensions": {"rows": {"minimum": 1, "maximum": 64, "batch": true}},
    "dtypes": ["f32"],
    "traits": {"ALIGN": {"values": [2, 4, 16], "default": 4, "source": "alignment"}},
    "arguments": [{"buffer": "y", "role": "out", "extent": ["rows", "3"]}, {"dimension": "rows"},
                  {"stride": "s", "of": "y"}],
    "tunables": {"BLOCK_SIZE": {"values": [64]}},
    "plan": [{"entry": "k", "grid": "rows", "block": "BLOCK_SIZE"}],
    "work": {"bytes": "1", "flops": "0"},
    "tolerance": {"atol": "0", "rtol": "0", "reason": "made up"},
    "baselines": {},
    "fallback": {"BLOCK_SIZE": 64}})",
                                 "k.json");
  const Signature signature(space, Dtype::f32,
                            {argument_type<float*>(), argument_type<std::int64_t>(), argument_type<std::int64_t>()}, {},
                            TargetFacts{});
  const auto alignment = [&](std::uintptr_t address, std::int64_t stride) {
    std::int64_t rows = 3;
    std::array<void*, 3> arguments{&address, &rows, &stride};
    return std::get<std::int64_t>(signature.problem_of(space, signature.read(arguments.data()).key).traits[0].second);
  };
  EXPECT_EQ(alignment(0x1000, 4), 16);
  EXPECT_EQ(alignment(0x1000, 5), 4);
  EXPECT_EQ(alignment(0x1000, std::numeric_limits<std::int64_t>::max() - 3), 16);
  EXPECT_EQ(signature.trait_combinations().size(), 2u);
}

}  // namespace
}  // namespace hiptune
