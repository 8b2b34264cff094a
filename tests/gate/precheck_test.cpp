#include "gate/precheck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate_bench.hpp"
#include "mutants/mutation.hpp"

// Faults of RMSNorm that leave its results right, or right by luck, as the CPU sees them.
namespace hiptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kAfterRow = "// Every thread has read lds[0] before the next row's sums overwrite it.";

class Prechecked : public testing::TestWithParam<int> {
 protected:
  Prechecked() {
    facts_ = {.wave_size = GetParam(),
              .lds_bytes = 232448,
              .compute_units = 132,
              .max_cluster = 16,
              .max_block_threads = 1024,
              .max_grid_x = 2147483647,
              .max_grid_yz = 65535,
              .max_threads_per_launch = 0};
  }

  [[nodiscard]] PrecheckVerdict check(const Kernel& kernel, const Config& config) {
    const Problem problem = make_problem(kernel.space, {1024, 4096}, Dtype::f32, {});
    Precheck precheck(kernel, problem, facts_, *bench_.host, *bench_.host_compiler, "/tmp", 1);
    phases_.clear();
    return precheck.check(config, [this](const std::string& phase) { phases_.push_back(phase); });
  }

  [[nodiscard]] PrecheckVerdict check_mutant(const Mutation& mutation, const std::string& reduction) {
    Kernel kernel = test::row_rms();
    kernel.source.text = mutate(kernel.source.text, mutation);
    return check(kernel, {{"REDUCTION", reduction}, {"BLOCK_SIZE", std::int64_t{64}}});
  }

  void expect_rejected(const Mutation& mutation, const std::string& reduction, const std::string& why) {
    const PrecheckVerdict verdict = check_mutant(mutation, reduction);
    EXPECT_TRUE(verdict.is_rejected()) << why;
    EXPECT_THAT(verdict.detail, HasSubstr(why));
    EXPECT_EQ(phases_.size(), 1u) << "the first stage names what the others would die of";
  }

  const GateBench bench_{"host"};
  TargetFacts facts_;
  std::vector<std::string> phases_;
};

TEST_P(Prechecked, right_variants_made_for_a_gpu_pass_all_stages) {
  const Kernel kernel = test::row_rms();
  for (const char* reduction : {"serial", "lds_tree", "shuffle_tail"}) {
    const PrecheckVerdict verdict = check(kernel, {{"REDUCTION", reduction}, {"BLOCK_SIZE", std::int64_t{256}}});
    EXPECT_EQ(verdict.outcome, PrecheckVerdict::Outcome::passed) << reduction << ": " << verdict.detail;
    EXPECT_EQ(phases_.size(), 3u);
  }
}

TEST_P(Prechecked, a_result_written_by_every_thread_is_a_race_though_all_write_the_same) {
  expect_rejected({"", kAfterRow, "y[r * y_stride] = x[r * x_stride] * scale_of(sum, cols, epsilon) * w[0];"},
                  "lds_tree", "race: ");
}

TEST_P(Prechecked, a_row_written_by_two_blocks_is_a_race) {
  expect_rejected({"", kAfterRow,
                   "if (thread == 0 && r == 0 && rows > 1) y[y_stride] = 0.0f; if (r == 1 && thread == 0) "
                   "write_row(x + r * x_stride, w, y + r * y_stride, 1, scale_of(sum, cols, epsilon), 0, 1);"},
                  "lds_tree", "of block ");
}

TEST_P(Prechecked, an_input_written_with_what_it_holds_is_found) {
  expect_rejected(
      {"", kAfterRow, "if (thread == 0) const_cast<scalar_t*>(w)[0] = static_cast<const volatile scalar_t*>(w)[0];"},
      "shuffle_tail", "w, which is an input");
}

TEST_P(Prechecked, a_read_past_the_end_that_counts_nothing_is_found) {
  expect_rejected({"", "float sum = 0.0f;", "float sum = x[cols] > 3e38f && cols < 0 ? 1.0f : 0.0f;"}, "serial",
                  "out of bounds: ");
}

TEST_P(Prechecked, what_the_cpu_cannot_run_is_neither_right_nor_wrong) {
  Kernel kernel = test::row_rms();
  kernel.space.constraints.push_back({{"MAX_CLUSTER > 1", {"row_rms.json", "/constraints/0"}}, "it has clusters"});
  const PrecheckVerdict verdict = check(kernel, kernel.space.fallback);
  EXPECT_EQ(verdict.outcome, PrecheckVerdict::Outcome::impossible);
  EXPECT_THAT(verdict.detail, HasSubstr("it has clusters"));
}

TEST_P(Prechecked, what_does_not_compile_for_the_cpu_is_rejected_with_the_compilers_words) {
  const PrecheckVerdict verdict =
      check_mutant({"", "float sum = 0.0f;", "float sum = __builtin_no_such_thing();"}, "serial");
  EXPECT_TRUE(verdict.is_rejected());
  EXPECT_THAT(verdict.detail, AllOf(HasSubstr("does not compile for the CPU"), HasSubstr("row_rms.hip:9")));
}

INSTANTIATE_TEST_SUITE_P(WaveSizes, Prechecked, testing::Values(32, 64));

TEST(PrecheckOutcome, is_told_in_words) {
  using enum PrecheckVerdict::Outcome;
  for (const auto outcome : {passed, rejected, impossible})
    EXPECT_EQ(parse_precheck_outcome(to_string(outcome)), outcome);
  EXPECT_THROW((void)parse_precheck_outcome("maybe"), std::invalid_argument);
}

}  // namespace
}  // namespace hiptune::test
