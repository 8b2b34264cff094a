#include "gate/cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gate_bench.hpp"

namespace hiptune {
namespace {

using test::GateBench;
using test::row_rms;
using test::shipped_kernel;

class Cases : public testing::Test {
 protected:
  [[nodiscard]] std::vector<GateCase> tuned(std::uint64_t seed = 1) const {
    std::vector<GateCase> cases;
    for (std::size_t i = 0; i < kTunedSets; ++i)
      cases.push_back(tuned_case(kernel_, problem_, bench_.facts(), oracle_, seed, i));
    return cases;
  }
  [[nodiscard]] std::vector<GateCase> small(std::uint64_t seed = 1) const {
    return small_cases(kernel_, problem_, bench_.facts(), oracle_, seed);
  }

  const GateBench bench_{"host"};
  const Kernel kernel_ = row_rms();
  const Problem problem_ = make_problem(kernel_.space, {6, 40}, Dtype::f32, {});
  const Oracle oracle_{kernel_, problem_, *bench_.host, *bench_.host_compiler};
};

TEST_F(Cases, at_the_tuned_shape_are_three_different_random_sets) {
  const std::vector<GateCase> cases = tuned();
  ASSERT_EQ(cases.size(), 3u);
  for (const GateCase& one : cases) EXPECT_EQ(one.problem, problem_);
  EXPECT_NE(cases[0].images[0], cases[1].images[0]);
  EXPECT_NE(cases[1].images[0], cases[2].images[0]);
  EXPECT_TRUE(cases[0].run_twice);
}

TEST_F(Cases, repeat_with_the_seed_and_differ_with_another) {
  EXPECT_EQ(tuned(1)[0].images, tuned(1)[0].images);
  EXPECT_NE(tuned(1)[0].images, tuned(2)[0].images);
  EXPECT_EQ(small(1).back().images, small(1).back().images);
  const auto scalars_of = [&](std::uint64_t seed) { return small(seed)[3].scalars; };
  EXPECT_EQ(scalars_of(1), scalars_of(1));
  EXPECT_NE(scalars_of(1), scalars_of(2));
}

TEST_F(Cases, vary_scalars_within_their_range) {
  std::set<double> epsilons;
  for (const GateCase& one : small()) {
    ASSERT_EQ(one.scalars.size(), 1u);
    EXPECT_GE(one.scalars[0], 1e-12);
    EXPECT_LE(one.scalars[0], 1);
    epsilons.insert(one.scalars[0]);
  }
  EXPECT_GT(epsilons.size(), 8u);
  EXPECT_TRUE(epsilons.contains(1e-5)) << "the default";
  EXPECT_TRUE(epsilons.contains(1e-12) && epsilons.contains(1.0)) << "the ends of the range";
  EXPECT_GT(std::ranges::count_if(epsilons, [](double value) { return value > 1e-12 && value < 1e-6; }), 1)
      << "drawn by magnitude";
}

TEST_F(Cases, at_small_shapes_pad_rows_and_make_blocks_loop) {
  int padded = 0, looping = 0, single = 0;
  std::set<std::string> names;
  for (const GateCase& one : small()) {
    padded += one.layouts[0].stride > one.layouts[0].shape.cols;
    looping += one.grid_limit > 0 && one.problem.dimensions[0] > one.grid_limit;
    single += one.problem.dimensions == std::vector<std::int64_t>{1, 1};
    names.insert(one.name);
  }
  EXPECT_GT(padded, 10);
  EXPECT_GT(looping, 10);
  EXPECT_EQ(single, 1);
  for (Pattern pattern : adversarial_patterns())
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with("rows=33 cols=257 dtype=f32 " + to_string(pattern) + " epsilon=");
    })) << to_string(pattern);
}

TEST_F(Cases, hold_the_oracle_s_dense_results) {
  const GateCase one = tuned().front();
  ASSERT_EQ(one.oracle.size(), 1u) << "one output";
  ASSERT_EQ(one.oracle[0].size(), 240u);
  const auto x = [&](std::int64_t col) {
    return load_as_double(one.images[0].data() + one.layouts[0].offset(5, col), Dtype::f32);
  };
  double sum = 0;
  for (std::int64_t col = 0; col < 40; ++col) sum += x(col) * x(col);
  const double weight = load_as_double(one.images[1].data() + one.layouts[1].offset(0, 39), Dtype::f32);
  EXPECT_NEAR(one.oracle[0][239], x(39) * weight / std::sqrt(sum / 40 + one.scalars[0]), 1e-12);
}

TEST_F(Cases, stay_within_the_dimensions_of_the_space) {
  Kernel narrow = kernel_;
  narrow.space.dimensions[1].minimum = 20;
  narrow.space.dimensions[1].maximum = 100;
  for (const GateCase& one : small_cases(narrow, problem_, bench_.facts(), oracle_, 1)) {
    EXPECT_GE(one.problem.dimensions[1], 20);
    EXPECT_LE(one.problem.dimensions[1], 100);
  }
}

TEST_F(Cases, need_memory_in_proportion_to_the_problem) {
  const auto needed = [&](std::int64_t rows) {
    return case_memory(kernel_.space, make_problem(kernel_.space, {rows, 4096}, Dtype::f32, {}), bench_.facts(),
                       kTunedSets);
  };
  const double elements = 10000.0 * 4096;
  EXPECT_NEAR(needed(20000).host - needed(10000).host, elements * 3 * (4 + 4 + 8), 1)
      << "x, y and the oracle in double three times";
  EXPECT_NEAR(needed(20000).device - needed(10000).device, elements * ((4 + 4 + 8) + (4 + 4) + 4), 1)
      << "one case, a working set, and y once more";
}

// The largest power of two that divides the address, up to 256.
std::size_t alignment_of(const void* address) {
  std::size_t alignment = 256;
  while (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) alignment /= 2;
  return alignment;
}

TEST(Alignment, of_buffers_is_exactly_what_the_problem_claims) {
  const GateBench bench("host");
  const Kernel kernel = shipped_kernel("copy");
  for (std::int64_t align : {4, 8, 16}) {
    const Problem problem = make_problem(kernel.space, {1000}, Dtype::f32, {{"ALIGN", align}});
    const BufferSet buffers(*bench.device, buffer_layouts(kernel.space, problem, bench.facts(), false));
    for (const void* address : buffers.addresses()) EXPECT_EQ(alignment_of(address), static_cast<std::size_t>(align));
  }
}

// A vector of as many f32 as of f16 is twice as long; 16 bytes are enough for any.
TEST(Alignment, of_wider_elements_is_to_as_many_of_them) {
  const GateBench bench("host");
  const Kernel kernel = shipped_kernel("rmsnorm");
  for (const auto& [claimed, of_weights] : {std::pair{2, 4}, {4, 8}, {8, 16}, {16, 16}}) {
    const Problem problem = make_problem(kernel.space, {3, 8}, Dtype::f16,
                                         {{"WEIGHT", "f32"}, {"ALIGN", static_cast<std::int64_t>(claimed)}});
    const BufferSet buffers(*bench.device, buffer_layouts(kernel.space, problem, bench.facts(), false));
    EXPECT_EQ(alignment_of(buffers.addresses()[0]), static_cast<std::size_t>(claimed));
    EXPECT_EQ(alignment_of(buffers.addresses()[1]), static_cast<std::size_t>(of_weights));
  }
}

TEST(Alignment, of_what_is_timed_is_the_usual_one_where_the_problem_claims_the_most) {
  const GateBench bench("host");
  const Kernel kernel = shipped_kernel("copy");
  for (const auto& [claimed, usual] : {std::pair{4, 4}, {8, 8}, {16, 256}}) {
    const Problem problem =
        make_problem(kernel.space, {1000}, Dtype::f32, {{"ALIGN", static_cast<std::int64_t>(claimed)}});
    const BufferSet buffers(*bench.device, timed_layouts(kernel.space, problem, bench.facts()));
    for (const void* address : buffers.addresses())
      EXPECT_EQ(alignment_of(address), static_cast<std::size_t>(usual)) << claimed;
  }
}

TEST(Alignment, of_rows_is_kept_by_strides_padded_or_not) {
  Space space = row_rms().space;
  space.traits.push_back({"ALIGN", {std::int64_t{4}, std::int64_t{16}}, 1, TraitSource::alignment, ""});
  for (std::int64_t align : {4, 16})
    for (bool padded : {false, true}) {
      const Problem problem = make_problem(space, {3, 13}, Dtype::f32, {{"ALIGN", align}});
      const std::vector<BufferLayout> layouts = buffer_layouts(space, problem, {}, padded);
      for (std::size_t buffer : {0, 2}) {
        EXPECT_EQ(layouts[buffer].stride * 4 % align, 0);
        EXPECT_GE(layouts[buffer].stride, padded ? 14 : 13);
      }
      EXPECT_EQ(strides_of(space, layouts), (std::vector{layouts[0].stride, layouts[2].stride}));
    }
}

}  // namespace
}  // namespace hiptune
