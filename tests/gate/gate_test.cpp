#include "gate/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate_bench.hpp"
#include "hiptune/error.hpp"
#include "mutants/mutation.hpp"
#include "session/bench.hpp"

// The gate as the session uses it. scale_rows updates a buffer in place by two launches with a workspace in between.
namespace hiptune {
namespace {

using test::GateBench;
using test::mutate;
using test::Mutation;
using test::row_rms;
using test::shipped_kernel;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Kernel test_kernel(const std::string& name) {
  return KernelPath({std::filesystem::path(HIPTUNE_SOURCE_DIR) / "tests/gate/kernels"}, {}).load(name);
}
Kernel scale_rows() { return test_kernel("scale_rows"); }

TimingLimits few_samples() {
  TimingLimits limits;
  limits.stop.min_samples = limits.stop.max_samples = 5;
  limits.launches = 20;
  return limits;
}

class InBench : public testing::Test {
 protected:
  // Tries the first valid configuration.
  Trial try_out(const Kernel& kernel, const Problem& problem, const std::optional<TimingLimits>& limits) {
    Bench bench(kernel, problem, *devices_.device, *devices_.compiler, *devices_.host, *devices_.host_compiler, 1);
    phases_.clear();
    return bench.run(all_configs(kernel.space, {}).front(), limits,
                     [this](const std::string& phase) { phases_.push_back(phase); });
  }

  Trial try_out(const Kernel& kernel, const std::optional<TimingLimits>& limits = std::nullopt) {
    return try_out(kernel, make_problem(kernel.space, {40, 30}, Dtype::f32, {}), limits);
  }

  Trial try_mutant(const Mutation& mutation, const std::optional<TimingLimits>& limits = std::nullopt) {
    Kernel kernel = scale_rows();
    kernel.source.text = mutate(kernel.source.text, mutation);
    return try_out(kernel, limits);
  }

  GateBench devices_{"host"};
  std::vector<std::string> phases_;
};

TEST_F(InBench, an_update_in_place_by_two_launches_with_a_workspace_is_timed) {
  const Trial trial = try_out(scale_rows(), few_samples());
  EXPECT_EQ(trial.outcome, Outcome::timed) << trial.detail;
  ASSERT_TRUE(trial.samples);
  EXPECT_EQ(trial.samples->cold.size(), 5u);
  EXPECT_EQ(trial.samples->warm.size(), 5u);
  EXPECT_GT(trial.checks, 20);
  EXPECT_GT(trial.errors.in_limits, 0);
  EXPECT_LE(trial.errors.in_limits, 1);
  EXPECT_EQ(trial.threads, 64) << "one block of the widest launch";
  EXPECT_FALSE(trial.isa_hash.empty());
  EXPECT_EQ(trial.resources.size(), 2u) << "one per entry point";
  EXPECT_EQ(phases_, (std::vector<std::string>{"compile", "load", "gate", "time", "gate again"}));
}

TEST_F(InBench, a_variant_passes_where_timing_is_not_asked_for) {
  const Trial trial = try_out(scale_rows());
  EXPECT_EQ(trial.outcome, Outcome::passed) << trial.detail;
  EXPECT_FALSE(trial.samples);
  EXPECT_EQ(phases_, (std::vector<std::string>{"compile", "load", "gate"}));
}

// What f32 and i32 variants of row_max end in, mutated.
class RowMax : public InBench {
 protected:
  Trial try_row_max(const Mutation& mutation, Dtype dtype) {
    Kernel kernel = test_kernel("row_max");
    if (!mutation.pattern.empty()) kernel.source.text = mutate(kernel.source.text, mutation);
    return try_out(kernel, make_problem(kernel.space, {20, 16, 16}, dtype, {}), std::nullopt);
  }
  void expect_caught(const Mutation& mutation, Dtype dtype) {
    const Trial trial = try_row_max(mutation, dtype);
    EXPECT_EQ(trial.outcome, Outcome::wrong) << mutation.replacement << ": " << trial.detail;
  }
};

TEST_F(RowMax, passes_as_it_is) {
  for (const Dtype dtype : {Dtype::f32, Dtype::i32})
    EXPECT_EQ(try_row_max({}, dtype).outcome, Outcome::passed) << try_row_max({}, dtype).detail;
}

TEST_F(RowMax, a_maximum_beyond_the_row_is_caught_though_no_nan_is_larger) {
  for (const Dtype dtype : {Dtype::f32, Dtype::i32})
    expect_caught({"", "c < groups * width", "c < groups * width + 1"}, dtype);
}

TEST_F(RowMax, a_copy_of_what_lies_behind_a_row_is_caught_in_floats_and_in_integers) {
  for (const Dtype dtype : {Dtype::f32, Dtype::i32})
    expect_caught({"", "m[r] = largest;", "m[r] = largest; y[r * y_stride + groups * width] = row[groups * width];"},
                  dtype);
}

TEST_F(RowMax, one_dimension_taken_for_another_is_caught_though_the_tuned_ones_are_equal) {
  expect_caught({"", "y_stride + w * groups + g", "y_stride + w * width + g"}, Dtype::f32);
  expect_caught({"", "row[g * width + w];", "row[g * groups + w];"}, Dtype::f32);
}

TEST_F(RowMax, one_stride_taken_for_another_is_caught) {
  expect_caught({"", "x + r * x_stride", "x + r * y_stride"}, Dtype::f32);
  expect_caught({"", "y[r * y_stride", "y[r * x_stride"}, Dtype::f32);
}

TEST_F(InBench, a_factor_that_was_not_written_in_this_run_is_caught) {
  const Trial trial = try_mutant({"", "factors[r] = shift + sum;", "if (r + 1 < rows) factors[r] = shift + sum;"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("is nan"));
}

TEST_F(InBench, a_sum_on_top_of_what_the_workspace_held_is_caught) {
  const Trial trial = try_mutant({"", "factors[r] = shift + sum;", "factors[r] += shift + sum;"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("is nan"));
}

TEST_F(InBench, a_write_past_a_workspace_is_caught) {
  const Trial trial = try_mutant({"", "factors[r] = shift + sum;", "factors[r] = shift + sum; factors[rows] = 0.0f;"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("wrote outside a workspace"));
}

TEST_F(InBench, a_write_before_a_workspace_is_caught) {
  const Trial trial = try_mutant({"", "factors[r] = shift + sum;", "factors[r] = shift + sum; factors[-1] = 0.0f;"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("wrote outside a workspace"));
}

TEST_F(InBench, a_read_past_a_workspace_is_caught_though_its_value_hardly_counts) {
  const Trial trial = try_mutant({"", "*= factors[r]", "*= factors[r] + 1e-9f * factors[rows]"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("is nan"));
}

// NaN stays the same NaN in arithmetic, so that only another value behind the row shows it.
TEST_F(InBench, an_update_in_place_beyond_the_row_is_caught) {
  const Trial trial = try_mutant({"", "c < cols; ++c) state", "c < cols + 1; ++c) state"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, AllOf(HasSubstr("state: wrote"), HasSubstr("in a second run only")));
}

TEST_F(InBench, an_update_that_leaves_a_row_as_it_was_is_caught) {
  const Trial trial = try_mutant({"", "*= factors[r]", "*= r + 1 < rows || rows == 1 ? factors[r] : 1.0f"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("state[2, "));
}

TEST_F(InBench, an_input_of_an_in_place_update_must_stay_too) {
  const Trial trial = try_mutant(
      {"", "factors[r] = shift + sum;", "factors[r] = shift + sum; const_cast<scalar_t*>(x)[r * x_stride] += 1.0f;"});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("x: an input was modified"));
}

// Right for as many launches as the gate makes, wrong for the many that timing makes.
TEST_F(InBench, a_variant_that_goes_wrong_while_it_is_timed_is_rejected_after_it) {
  const Mutation late{"", "factors[r] = shift + sum;",
                      "static int rows_done = 0; if (r == 0) ++rows_done; "
                      "factors[r] = rows_done < 100 ? shift + sum : 0.0f;"};
  EXPECT_EQ(try_mutant(late).outcome, Outcome::passed)
      << "the gate alone makes more launches than this test allows for";
  const Trial trial = try_mutant(late, few_samples());
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, StartsWith("after timing: rows=40 cols=30"));
  EXPECT_FALSE(trial.samples) << "what is wrong has no time";
}

TEST_F(InBench, a_variant_that_does_not_compile_says_where) {
  const Trial trial = try_mutant({"", "float sum = 0.0f;", "float sum = nothing;"});
  EXPECT_EQ(trial.outcome, Outcome::compile_failed);
  EXPECT_THAT(trial.detail, AllOf(HasSubstr("scale_rows.hip:12:"), HasSubstr("nothing")));
  EXPECT_EQ(phases_, (std::vector<std::string>{"compile"}));
}

TEST_F(InBench, a_variant_that_the_constraints_forbid_is_invalid_and_not_compiled) {
  Kernel kernel = scale_rows();
  kernel.space.constraints.push_back({{"BLOCK_SIZE > 64", {"scale_rows.json", "/constraints/0"}}, "too few threads"});
  const Trial trial = try_out(kernel);
  EXPECT_EQ(trial.outcome, Outcome::invalid);
  EXPECT_THAT(trial.detail, HasSubstr("too few threads"));
  EXPECT_TRUE(phases_.empty());
}

TEST_F(InBench, the_copy_kernel_passes_for_every_alignment) {
  const Kernel copy = shipped_kernel("copy");
  for (std::int64_t align : {4, 8, 16}) {
    const Problem problem = make_problem(copy.space, {1003}, Dtype::f32, {{"ALIGN", align}});
    Bench bench(copy, problem, *devices_.device, *devices_.compiler, *devices_.host, *devices_.host_compiler, 1);
    const Config config = make_config(copy.space,
                                      {{"BLOCK_SIZE", std::int64_t{128}},
                                       {"VECTOR_BYTES", align},
                                       {"VECTORS_PER_THREAD", std::int64_t{4}},
                                       {"HINT", "none"}},
                                      "test");
    const Trial trial = bench.run(config, std::nullopt, [](const std::string&) {});
    EXPECT_EQ(trial.outcome, Outcome::passed) << align << ": " << trial.detail;
    EXPECT_EQ(trial.errors.absolute, 0);
  }
}

// Of a copy: what a block leaves out at the ragged end of the vectors.
TEST_F(InBench, a_copy_that_forgets_the_elements_after_the_last_vector_is_caught) {
  Kernel copy = shipped_kernel("copy");
  copy.source.text = mutate(copy.source.text, {"", "last < elements", "last < vectors * kWidth"});
  const Problem problem = make_problem(copy.space, {1024}, Dtype::f32, {});
  Bench bench(copy, problem, *devices_.device, *devices_.compiler, *devices_.host, *devices_.host_compiler, 1);
  const Trial trial = bench.run(make_config(copy.space,
                                            {{"BLOCK_SIZE", std::int64_t{128}},
                                             {"VECTOR_BYTES", std::int64_t{16}},
                                             {"VECTORS_PER_THREAD", std::int64_t{1}},
                                             {"HINT", "none"}},
                                            "test"),
                                std::nullopt, [](const std::string&) {});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("is nan"));
}

TEST_F(InBench, a_problem_that_does_not_fit_the_memory_is_refused_before_it_takes_any) {
  const Kernel kernel = row_rms();
  try {
    (void)try_out(kernel, make_problem(kernel.space, {std::int64_t{1} << 27, 1 << 14}, Dtype::f32, {}), std::nullopt);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rows=134217728 cols=16384"), HasSubstr("GiB"), HasSubstr("smaller")));
  }
}

TEST_F(InBench, a_fault_of_the_space_is_bad_input_and_no_variant_s_failure) {
  Kernel kernel = scale_rows();
  kernel.space.tolerance.rtol = {"-1", {"scale_rows.json", "/tolerance/rtol"}};
  try {
    (void)try_out(kernel);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("scale_rows.json: /tolerance/rtol"));
  }
}

TEST_F(InBench, what_the_oracle_does_wrong_is_the_oracle_s_fault) {
  const auto error_of = [&](const Mutation& mutation) {
    Kernel kernel = row_rms();
    kernel.reference.text = mutate(kernel.reference.text, mutation);
    try {
      (void)try_out(kernel);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of({"", "y[r * cols + c]", "y[r * cols + c + 1]"}),
              HasSubstr("row_rms.reference.hip: y: the oracle wrote outside of it"));
  EXPECT_THAT(error_of({"", "r += threads", "r += rows"}), HasSubstr("did not write [256, 0]"));
  EXPECT_THAT(error_of({"", "int64 rows", "int rows"}), HasSubstr("does not compile"));
  EXPECT_THAT(error_of({"", "double sum = 0.0", "double sum = 0.0 / (rows - rows)"}), HasSubstr("no finite result"));
}

TEST_F(InBench, a_kernel_with_other_parameters_than_the_space_declares_does_not_compile) {
  for (const Mutation& mutation :
       {Mutation{"", "int64 rows, int64 cols", "int rows, int64 cols"}, Mutation{"", "extern \"C\" ", ""},
        Mutation{"", "int64 y_stride,", "int y_stride,"}}) {
    Kernel kernel = row_rms();
    kernel.source.text = mutate(kernel.source.text, mutation);
    const Trial trial = try_out(kernel);
    EXPECT_EQ(trial.outcome, Outcome::compile_failed) << mutation.pattern;
  }
}

TEST_F(InBench, a_plan_that_declares_too_little_lds_is_caught) {
  Kernel kernel = row_rms();
  kernel.space.plan[0].dynamic_lds = {"4", {"row_rms.json", "/plan/0/dynamic_lds"}};
  Bench bench(kernel, make_problem(kernel.space, {3, 13}, Dtype::f32, {}), *devices_.device, *devices_.compiler,
              *devices_.host, *devices_.host_compiler, 1);
  const Trial trial = bench.run(kernel.space.fallback, std::nullopt, [](const std::string&) {});
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("LDS overrun"));
}

TEST_F(InBench, an_oracle_that_does_not_compile_is_named) {
  Kernel kernel = scale_rows();
  kernel.reference.text = mutate(kernel.reference.text, {"", "double factor =", "double factor"});
  try {
    (void)try_out(kernel);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("scale_rows.reference.hip: the oracle does not compile"),
                                    HasSubstr("scale_rows.reference.hip:11:")));
  }
}

// Constraints such as "a row is whole vectors of a whole block" leave only the tuned columns.
TEST_F(InBench, a_configuration_valid_for_large_rows_alone_still_meets_padded_rows_and_zeros) {
  Kernel kernel = scale_rows();
  kernel.space.constraints.push_back(
      {{"mod(cols, 65536) == 0", {"scale_rows.json", "/constraints/0"}}, "whole blocks"});
  kernel.source.text = mutate(kernel.source.text, {"", "state[r * state_stride + c]", "state[r * cols + c]"});
  const Trial trial = try_out(kernel, make_problem(kernel.space, {4, 65536}, Dtype::f32, {}), std::nullopt);
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, StartsWith("rows=3 cols=65536"));
}

TEST_F(InBench, cases_for_which_a_configuration_is_not_valid_are_left_out) {
  Kernel kernel = scale_rows();
  kernel.space.constraints.push_back({{"cols < 300", {"scale_rows.json", "/constraints/0"}}, "rows are short"});
  const Trial all = try_out(scale_rows());
  const Trial fewer = try_out(kernel);
  EXPECT_EQ(fewer.outcome, Outcome::passed) << fewer.detail;
  EXPECT_LT(fewer.checks, all.checks);
  EXPECT_GT(fewer.checks, 10);
}

}  // namespace
}  // namespace hiptune
