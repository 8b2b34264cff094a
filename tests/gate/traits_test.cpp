#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate_bench.hpp"
#include "mutants/mutation.hpp"
#include "problem/config.hpp"
#include "session/bench.hpp"

// What a problem's dtype and traits make of its buffers, through the gate and the timer: weigh_rows has elements of 16
// bits, weights of another type or none, a workspace of either type, and calls in place.
namespace hiptune::test {
namespace {

using testing::HasSubstr;

Kernel weigh_rows(const Mutation& mutation = {}) {
  Kernel kernel = KernelPath({std::filesystem::path(HIPTUNE_SOURCE_DIR) / "tests/gate/kernels"}, {}).load("weigh_rows");
  if (!mutation.pattern.empty()) kernel.source.text = mutate(kernel.source.text, mutation);
  return kernel;
}

Problem problem_of(const Kernel& kernel, Dtype dtype, const std::vector<std::string>& traits) {
  return make_problem(kernel.space, {40, 30}, dtype, parse_traits(kernel.space, traits));
}

class Traits : public testing::Test {
 protected:
  Trial try_out(const Kernel& kernel, Dtype dtype, const std::vector<std::string>& traits,
                const std::optional<TimingLimits>& limits = std::nullopt) {
    Bench bench(kernel, problem_of(kernel, dtype, traits), *devices_.device, *devices_.compiler, *devices_.host,
                *devices_.host_compiler, 1);
    return bench.run(kernel.space.fallback, limits, [](const std::string&) {});
  }

  void expect_passed(Dtype dtype, const std::vector<std::string>& traits) {
    const Trial trial = try_out(weigh_rows(), dtype, traits);
    EXPECT_EQ(trial.outcome, Outcome::passed) << to_string(dtype) << testing::PrintToString(traits) << trial.detail;
    EXPECT_GT(trial.checks, 20);
    EXPECT_GT(trial.errors.in_limits, 0);
  }

  // A case without adversarial inputs, as padded as asked.
  [[nodiscard]] GateCase first_case(bool far, const std::vector<std::string>& traits) const {
    const Kernel kernel = weigh_rows();
    for (GateCase& one : devices_.cases(kernel, problem_of(kernel, Dtype::f16, traits), true))
      if (one.rows_far_apart == far && (far || !one.at_tuned_shape) && one.layouts[2].shape.rows > 1) return one;
    throw std::logic_error("there is no such case");
  }

  GateBench devices_{"host"};
};

TEST_F(Traits, every_dtype_passes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) expect_passed(dtype, {});
}

TEST_F(Traits, weights_and_a_workspace_of_another_type_pass_and_so_do_no_weights) {
  expect_passed(Dtype::f16, {"WEIGHT=f32", "MEANS=same", "ALIGN=2"});
  expect_passed(Dtype::bf16, {"WEIGHT=none", "MEANS=same"});
}

TEST_F(Traits, a_call_in_place_passes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16}) expect_passed(dtype, {"IN_PLACE=yes", "WEIGHT=none"});
}

TEST_F(Traits, a_barrier_that_only_calls_in_place_need_is_missed_there_alone) {
  const Mutation no_barrier{"", "hiptune::barrier();  // every", "// every"};
  EXPECT_EQ(try_out(weigh_rows(no_barrier), Dtype::f16, {}).outcome, Outcome::passed);
  const Trial in_place = try_out(weigh_rows(no_barrier), Dtype::f16, {"IN_PLACE=yes"});
  EXPECT_EQ(in_place.outcome, Outcome::wrong);
  EXPECT_THAT(in_place.detail, HasSubstr("IN_PLACE=yes"));
}

TEST_F(Traits, a_write_behind_a_row_is_caught_in_place) {
  const Trial trial = try_out(weigh_rows({"", "c < cols; c += BLOCK_SIZE", "c < cols + 1; c += BLOCK_SIZE"}),
                              Dtype::f16, {"IN_PLACE=yes"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("y: wrote 1 elements past its end"));
}

TEST_F(Traits, a_call_in_place_is_timed_over_sets_that_are_restored) {
  TimingLimits limits;
  limits.stop.min_samples = limits.stop.max_samples = 5;
  limits.launches = 20;
  const Trial trial = try_out(weigh_rows(), Dtype::f16, {"IN_PLACE=yes", "WEIGHT=f32"}, limits);
  EXPECT_EQ(trial.outcome, Outcome::timed) << trial.detail;
  ASSERT_TRUE(trial.samples);
  EXPECT_EQ(trial.samples->cold.size(), 5u);
}

TEST_F(Traits, x_and_y_of_a_call_in_place_are_one_memory_with_one_stride_and_hold_the_input_first) {
  const GateCase one = first_case(false, {"IN_PLACE=yes"});
  EXPECT_TRUE(one.images[0].empty());
  EXPECT_EQ(one.layouts[0].stride, one.layouts[2].stride);
  EXPECT_GT(one.layouts[2].stride, one.layouts[2].shape.cols);
  const BufferSet set(*devices_.device, one.layouts);
  EXPECT_EQ(set.addresses()[0], set.addresses()[2]);
  EXPECT_NE(set.addresses()[1], set.addresses()[2]);
  upload(*devices_.device, set, one.images);
  EXPECT_EQ(download(*devices_.device, set), one.images);
  const double first = load_as_double(set.addresses()[0], Dtype::f16);
  EXPECT_TRUE(std::abs(first) >= 0.01 && std::abs(first) <= 30) << first;
}

TEST_F(Traits, rows_far_apart_of_a_call_in_place_are_one_memory) {
  const GateCase one = first_case(true, {"IN_PLACE=yes"});
  const std::unique_ptr<Judge> judge = host_judge(*devices_.device, one, {0, 0.1});
  EXPECT_EQ(judge->addresses()[0], judge->addresses()[2]);
  EXPECT_EQ(judge->layouts()[0].stride, judge->layouts()[2].stride);
  EXPECT_GT(judge->layouts()[2].stride, std::int64_t{1} << 31);
}

TEST_F(Traits, a_call_in_place_lets_one_buffer_be_watched_and_it_is_written) {
  const Kernel kernel = weigh_rows();
  const Problem problem = problem_of(kernel, Dtype::f16, {"IN_PLACE=yes", "WEIGHT=none"});
  const BufferSet set(*devices_.device, buffer_layouts(kernel.space, problem, devices_.facts(), true));
  const WorkspaceSet workspaces(*devices_.device, {160});
  const std::vector<WatchedBuffer> watched = watched_buffers(kernel.space, set.layouts(), set.addresses(), workspaces);
  ASSERT_EQ(watched.size(), 2u);
  EXPECT_EQ(watched[0].name, "y");
  EXPECT_TRUE(watched[0].writable);
  EXPECT_EQ(watched[1].name, "means");
}

TEST_F(Traits, an_absent_buffer_is_null_and_has_no_memory) {
  const Kernel kernel = weigh_rows();
  const Problem problem = problem_of(kernel, Dtype::f16, {"WEIGHT=none"});
  const BufferSet set(*devices_.device, buffer_layouts(kernel.space, problem, devices_.facts(), true));
  EXPECT_EQ(set.addresses()[1], nullptr);
  EXPECT_EQ(set.allocation(1), nullptr);
  EXPECT_NE(set.addresses()[0], set.addresses()[2]);
}

TEST_F(Traits, elements_larger_than_the_alignment_are_aligned_all_the_same) {
  const Kernel kernel = weigh_rows();
  const Problem problem = problem_of(kernel, Dtype::f16, {"WEIGHT=f32", "ALIGN=2"});
  const BufferSet set(*devices_.device, buffer_layouts(kernel.space, problem, devices_.facts(), true));
  const auto rest = [&](std::size_t buffer, std::uintptr_t of) {
    return reinterpret_cast<std::uintptr_t>(set.addresses()[buffer]) % of;
  };
  EXPECT_EQ(rest(0, 4), 2u);
  EXPECT_EQ(rest(1, 8), 4u);
}

TEST_F(Traits, faults_planted_into_results_in_place_and_in_16_bits_are_caught) {
  const Kernel kernel = weigh_rows();
  for (const std::vector<std::string>& traits :
       {std::vector<std::string>{"IN_PLACE=yes"}, {"IN_PLACE=yes", "WEIGHT=none"}, {"WEIGHT=f32"}}) {
    const Problem problem = problem_of(kernel, Dtype::f16, traits);
    Gate gate = devices_.gate(kernel, problem, true);
    const Variant variant = make_variant(kernel, problem, devices_.facts(), kernel.space.fallback);
    LoadedPlan plan(*devices_.device, devices_.compile(variant), variant.plan);
    const std::vector<CaughtFault> faults = gate.self_test(plan, kernel.space.fallback);
    EXPECT_GT(faults.size(), 18u);
    for (const CaughtFault& one : faults) EXPECT_FALSE(one.caught.empty()) << one.fault << " survived in " << one.where;
    const auto is_about_inputs = [](const CaughtFault& one) { return one.fault == "an input is modified in one bit"; };
    const bool has_input = problem.traits[1].second != Value("none") || problem.traits[3].second != Value("yes");
    EXPECT_EQ(std::ranges::any_of(faults, is_about_inputs), has_input);
  }
}

}  // namespace
}  // namespace hiptune::test
