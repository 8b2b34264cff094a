#include <gmock/gmock.h>

#include <array>
#include <cstring>

#include "dispatch/signature.hpp"
#include "dispatch/world.hpp"

// Calls of a kernel whose buffers depend on traits: weigh_rows, whose y may be x, and whose w may be of another type or
// absent.
namespace hiptune::test {
namespace {

using detail::argument_type;
using testing::HasSubstr;

std::filesystem::path kernel_folder() { return std::filesystem::path(HIPTUNE_SOURCE_DIR) / "tests/gate/kernels"; }

Space weigh_rows() { return KernelPath({kernel_folder()}, {}).load("weigh_rows").space; }

// An application's own type of 16 bits.
struct Half {
  std::uint16_t bits = 0;
};

template <class X, class W>
Signature signature_of(Dtype dtype, const std::vector<std::string>& traits) {
  using I = std::int64_t;
  const Space space = weigh_rows();
  return {space,
          dtype,
          {argument_type<const X*>(), argument_type<const W*>(), argument_type<X*>(), argument_type<I>(),
           argument_type<I>(), argument_type<I>(), argument_type<I>()},
          parse_traits(space, traits),
          TargetFacts{}};
}

// One call, whose values a test changes before it is read.
struct Call {
  std::uintptr_t x = 0x1000, w = 0x2000, y = 0x3000;
  std::int64_t rows = 2, cols = 8, x_stride = 8, y_stride = 8;
  std::array<void*, 7> arguments{&x, &w, &y, &rows, &cols, &x_stride, &y_stride};

  [[nodiscard]] Status status(const Signature& signature) const { return signature.read(arguments.data()).status; }
  [[nodiscard]] std::string words(const Signature& signature) const {
    return signature.describe(signature.read(arguments.data()), arguments.data());
  }
  [[nodiscard]] std::string traits(const Signature& signature) const {
    return to_string(signature.problem_of(weigh_rows(), signature.read(arguments.data()).key).traits);
  }
};

TEST(SignatureOfTraits, finds_a_call_in_place_from_equal_addresses) {
  const Signature signature = signature_of<Half, Half>(Dtype::f16, {});
  Call call;
  EXPECT_EQ(call.traits(signature), "ALIGN=16 WEIGHT=same MEANS=f32 IN_PLACE=no");
  call.y = call.x;
  EXPECT_EQ(call.status(signature), Status::success);
  EXPECT_EQ(call.traits(signature), "ALIGN=16 WEIGHT=same MEANS=f32 IN_PLACE=yes");
}

TEST(SignatureOfTraits, in_place_two_strides_of_several_rows_are_wrong_and_named) {
  const Signature signature = signature_of<Half, Half>(Dtype::f16, {});
  Call call;
  call.y = call.x;
  call.y_stride = 16;
  EXPECT_EQ(call.status(signature), Status::invalid_stride);
  EXPECT_EQ(call.words(signature),
            "x_stride is 8 and y_stride is 16: where x and y begin at one address, their strides must be equal");
  call.rows = 1;
  EXPECT_EQ(call.status(signature), Status::success);
  call.rows = 2;
  call.x_stride = 16;
  EXPECT_EQ(call.status(signature), Status::success);
  call.y_stride = 7;
  EXPECT_EQ(call.words(signature), "y_stride is 7, and a row of y has 8 elements");
}

TEST(SignatureOfTraits, an_absent_buffer_must_be_null_and_does_not_count_for_the_alignment) {
  const Signature without = signature_of<Half, void>(Dtype::f16, {"WEIGHT=none"});
  Call call;
  EXPECT_EQ(call.status(without), Status::unexpected_pointer);
  EXPECT_EQ(call.words(without), "w must be null: the kernel was bound without this buffer");
  EXPECT_THAT(to_string(Status::unexpected_pointer), HasSubstr("not null"));
  call.w = 0;
  EXPECT_EQ(call.status(without), Status::success);
  EXPECT_EQ(call.traits(without), "ALIGN=16 WEIGHT=none MEANS=f32 IN_PLACE=no");
  EXPECT_EQ(call.status(signature_of<Half, Half>(Dtype::f16, {})), Status::null_pointer);
}

TEST(SignatureOfTraits, an_element_larger_than_the_dtype_counts_as_one_of_it_and_keeps_its_own_alignment) {
  const Signature signature = signature_of<Half, float>(Dtype::f16, {"WEIGHT=f32"});
  Call call;
  call.w = 0x2002;
  EXPECT_EQ(call.status(signature), Status::misaligned_pointer);
  for (const auto& [w, align] : {std::pair{0x2004, 2}, {0x2008, 4}, {0x2010, 16}, {0x2030, 16}}) {
    call.w = static_cast<std::uintptr_t>(w);
    EXPECT_EQ(call.traits(signature), "ALIGN=" + std::to_string(align) + " WEIGHT=f32 MEANS=f32 IN_PLACE=no") << w;
  }
  call.x = 0x1002;
  EXPECT_EQ(call.traits(signature), "ALIGN=2 WEIGHT=f32 MEANS=f32 IN_PLACE=no");
}

TEST(SignatureOfTraits, takes_the_dtype_by_its_own_name_for_the_same_type) {
  const Call call;
  EXPECT_EQ(call.traits(signature_of<float, float>(Dtype::f32, {"WEIGHT=f32"})),
            "ALIGN=16 WEIGHT=same MEANS=same IN_PLACE=no");
}

TEST(SignatureOfTraits, has_every_combination_that_calls_can_have_and_no_other) {
  EXPECT_EQ((signature_of<Half, Half>(Dtype::f16, {}).trait_combinations().size()), 4u * 2);
  EXPECT_EQ((signature_of<float, float>(Dtype::f32, {}).trait_combinations().size()), 3u * 2);
}

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SignatureOfTraits, checks_pointers_against_the_type_that_a_trait_says) {
  EXPECT_EQ(error_of([] { (void)signature_of<Half, float>(Dtype::f16, {"WEIGHT=f32"}); }), "no error");
  EXPECT_EQ(error_of([] { (void)signature_of<Half, std::uint16_t>(Dtype::bf16, {}); }), "no error");
  EXPECT_EQ(error_of([] { (void)signature_of<Half, double>(Dtype::bf16, {"WEIGHT=none"}); }), "no error");
  EXPECT_THAT(error_of([] { (void)signature_of<Half, float>(Dtype::f16, {}); }),
              HasSubstr("argument 2, w, must be a pointer to const 2-byte elements (f16), and is const float*"));
  EXPECT_THAT(error_of([] { (void)signature_of<Half, Half>(Dtype::f16, {"WEIGHT=f32"}); }),
              HasSubstr("argument 2, w, must be const float*, and is a pointer to const 2-byte elements"));
  EXPECT_THAT(error_of([] { (void)signature_of<Half, Half>(Dtype::f16, {"IN_PLACE=yes"}); }),
              HasSubstr("IN_PLACE is found from each call's pointers; leave it out"));
}

// A matrix of f16 and its rows' results, by the formula.
struct Rows {
  static constexpr std::int64_t kRows = 3, kCols = 20, kStride = 24;
  std::vector<Half> x = std::vector<Half>(kRows * kStride), y = x;
  std::vector<float> w = std::vector<float>(kCols);

  Rows() {
    for (std::size_t i = 0; i < x.size(); ++i) store_from_double(&x[i], Dtype::f16, 0.25 + static_cast<double>(i % 13));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = 1.0f + static_cast<float>(i) / 8;
  }
  [[nodiscard]] double error(const std::vector<Half>& results, bool is_weighed) const {
    double largest = 0;
    for (std::int64_t r = 0; r < kRows; ++r) {
      const auto at = [&](const std::vector<Half>& matrix, std::int64_t c) {
        return load_as_double(&matrix[static_cast<std::size_t>(r * kStride + c)], Dtype::f16);
      };
      double sum = 0;
      for (std::int64_t c = 0; c < kCols; ++c) sum += at(x, c);
      for (std::int64_t c = 0; c < kCols; ++c) {
        const double weight = is_weighed ? w[static_cast<std::size_t>(c)] : 1.0;
        const double expected = at(x, c) * sum / kCols * weight;
        largest = std::max(largest, std::abs(at(results, c) - expected) / expected);
      }
    }
    return largest;
  }
};

constexpr double kHalfPrecision = 0x1p-10;

template <class W>
auto bind_weigh_rows(const Dispatcher& dispatcher, const std::map<std::string, std::string>& traits) {
  using I = std::int64_t;
  return dispatcher.bind<const Half*, const W*, Half*, I, I, I, I>("weigh_rows", "f16", traits);
}

TEST(DispatcherOfTraits, calls_apart_and_in_place_with_weights_of_another_type) {
  World world;
  world.options().kernel_paths = {kernel_folder()};
  const auto weigh = bind_weigh_rows<float>(Dispatcher(world.options()), {{"WEIGHT", "f32"}});
  Rows rows;
  const Rows before = rows;
  ASSERT_EQ(weigh(nullptr, rows.x.data(), rows.w.data(), rows.y.data(), Rows::kRows, Rows::kCols, Rows::kStride,
                  Rows::kStride),
            Status::success)
      << last_error();
  EXPECT_LT(before.error(rows.y, true), kHalfPrecision);
  ASSERT_EQ(weigh(nullptr, rows.x.data(), rows.w.data(), rows.x.data(), Rows::kRows, Rows::kCols, Rows::kStride,
                  Rows::kStride),
            Status::success)
      << last_error();
  EXPECT_LT(before.error(rows.x, true), kHalfPrecision);
  EXPECT_EQ(
      weigh(nullptr, rows.x.data(), rows.w.data(), rows.x.data(), Rows::kRows, Rows::kCols, Rows::kStride, Rows::kCols),
      Status::invalid_stride);
}

TEST(DispatcherOfTraits, calls_without_weights) {
  World world;
  world.options().kernel_paths = {kernel_folder()};
  const auto weigh = bind_weigh_rows<void>(Dispatcher(world.options()), {{"WEIGHT", "none"}});
  Rows rows;
  const auto call = [&](const void* weights) {
    return weigh(nullptr, rows.x.data(), weights, rows.y.data(), Rows::kRows, Rows::kCols, Rows::kStride,
                 Rows::kStride);
  };
  ASSERT_EQ(call(nullptr), Status::success) << last_error();
  EXPECT_LT(rows.error(rows.y, false), kHalfPrecision);
  EXPECT_EQ(call(rows.w.data()), Status::unexpected_pointer);
  EXPECT_EQ(last_error(), "weigh_rows: w must be null: the kernel was bound without this buffer");
}

TEST(DispatcherOfTraits, an_entry_in_place_serves_calls_in_place_and_is_near_to_others) {
  World world;
  world.options().kernel_paths = {kernel_folder()};
  Record record = world.record("weigh_rows", {3, 20}, {"BLOCK_SIZE=128"}, {"IN_PLACE=yes", "ALIGN=16"});
  const Kernel kernel = world.path().load("weigh_rows");
  record.dtype = Dtype::f16;
  record.traits = make_problem(kernel.space, {3, 20}, Dtype::f16, parse_traits(kernel.space, {"IN_PLACE=yes"})).traits;
  world.store("weigh_rows", record);
  const auto weigh = bind_weigh_rows<Half>(Dispatcher(world.options()), {});
  alignas(16) std::array<Half, 3 * 24> x{}, y{};
  const auto explain = [&](Half* results) {
    return weigh.explain(x.data(), x.data(), results, 3, 20, Rows::kStride, Rows::kStride);
  };
  EXPECT_EQ(explain(x.data()).choice, Choice::exact) << explain(x.data()).reason;
  EXPECT_EQ(explain(y.data()).choice, Choice::nearest) << explain(y.data()).reason;
  EXPECT_EQ(explain(y.data()).config, "BLOCK_SIZE=128");
}

}  // namespace
}  // namespace hiptune::test
