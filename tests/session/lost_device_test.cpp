#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hiptune/error.hpp"
#include "problem/kernel.hpp"
#include "session/coordinator.hpp"
#include "session_bench.hpp"

// A kernel faulted, and no call of its process succeeds any more: the tests' amd backend does so by one block size.
namespace hiptune {
namespace {

using test::MadeUpGpu;

TEST(LostDevice, is_a_crashed_trial_with_the_vendor_s_words_and_the_next_variant_runs) {
  const MadeUpGpu gpu;
  const Kernel kernel = KernelPath({test::mishaps_folder()}, {}).load("mishaps");
  WorkerSettings settings = test::worker_settings(test::mishaps_folder());
  settings.options.device = "amd:0";
  Coordinator coordinator(settings);
  ASSERT_EQ(coordinator.target().name, "Made-up GPU");
  coordinator.prepare("mishaps", make_problem(kernel.space, {100}, Dtype::f32, {}), 1);
  const auto outcome_of = [&](std::int64_t block) {
    return coordinator.run(make_config(kernel.space, {{"MISHAP", std::string("none")}, {"BLOCK_SIZE", block}}, "test"),
                           std::nullopt);
  };
  EXPECT_EQ(outcome_of(32).outcome, Outcome::passed);
  for (int i = 0; i < 2; ++i) {
    const Trial lost = outcome_of(64);
    EXPECT_EQ(lost.outcome, Outcome::crashed);
    EXPECT_EQ(lost.detail,
              "the device was lost during gate: hipStreamSynchronize: an illegal memory access was encountered "
              "(hipErrorIllegalAddress)");
    EXPECT_EQ(outcome_of(32).outcome, Outcome::passed);
  }
}

TEST(LostDevice, that_fails_what_is_no_trial_is_an_error_with_the_vendor_s_words_each_time) {
  const MadeUpGpu gpu("is lost");
  WorkerSettings settings = test::worker_settings(test::mishaps_folder());
  settings.options.device = "amd:0";
  Coordinator coordinator(settings);
  for (int i = 0; i < 2; ++i) {
    try {
      (void)coordinator.time_device_copy(8192, {});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed);
      EXPECT_THAT(error.what(), testing::StartsWith("the device was lost during copy: hipStreamSynchronize: "));
    }
  }
}

}  // namespace
}  // namespace hiptune
