#include "session/coordinator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "hiptune/error.hpp"
#include "problem/kernel.hpp"
#include "session_bench.hpp"

// The real program as worker, and variants that do to it what broken kernels do.
namespace hiptune {
namespace {

using test::edit;
using test::TemporaryFolder;
using test::worker_settings;
using testing::AllOf;
using testing::HasSubstr;

// Making a large cache cold takes a while, so that most of these tests do without timing.
TimingLimits two_samples() {
  TimingLimits limits;
  limits.stop.min_samples = limits.stop.max_samples = 2;
  limits.warmups = 1;
  return limits;
}

class WithMishaps : public testing::Test {
 protected:
  void prepare(Coordinator& coordinator) const { coordinator.prepare("mishaps", problem_, 1); }

  [[nodiscard]] Config config(const std::string& mishap) const {
    return make_config(kernel_.space, {{"MISHAP", mishap}, {"BLOCK_SIZE", std::int64_t{32}}}, "test");
  }

  void expect_going_on(Coordinator& coordinator) const {
    const Trial trial = coordinator.run(config("none"), std::nullopt);
    EXPECT_EQ(trial.outcome, Outcome::passed) << trial.detail;
    EXPECT_EQ(trial.config, config("none"));
  }

  const Kernel kernel_ = KernelPath({test::mishaps_folder()}, {}).load("mishaps");
  const Problem problem_ = make_problem(kernel_.space, {100}, Dtype::f32, {});
};

TEST_F(WithMishaps, finals_tell_who_failed_and_how) {
  FinalsRequest request;
  request.timing = two_samples();
  request.limits.min_rounds = request.limits.max_rounds = 2;
  for (const auto& [mishap, outcome] :
       {std::pair{"wrong", Outcome::wrong}, {"leaves", Outcome::crashed}, {"compile_error", Outcome::launch_failed}}) {
    Coordinator coordinator(worker_settings(test::mishaps_folder()));
    coordinator.prepare("mishaps", problem_, 1, GateDepth::tuned_shape);
    request.configs = {config("none"), config(mishap)};
    const auto answer = coordinator.finals(request);
    const auto* report = std::get_if<FinalsReport>(&answer);
    ASSERT_NE(report, nullptr) << mishap;
    ASSERT_EQ(report->failures.size(), 1u) << mishap;
    EXPECT_EQ(report->failures.begin()->first, 1u);
    EXPECT_EQ(report->failures.begin()->second.outcome, outcome) << report->failures.begin()->second.why;
  }
}

TEST_F(WithMishaps, the_target_and_compiler_are_the_worker_s) {
  const Coordinator coordinator(worker_settings(test::mishaps_folder()));
  EXPECT_EQ(coordinator.target().id, "host");
  EXPECT_EQ(coordinator.target().facts.wave_size, 32);
  EXPECT_FALSE(coordinator.compiler_version().empty());
}

TEST_F(WithMishaps, a_right_variant_is_timed) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  const Trial trial = coordinator.run(config("none"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::timed) << trial.detail;
  ASSERT_TRUE(trial.samples);
  EXPECT_EQ(trial.samples->cold.size(), 2u);
  EXPECT_EQ(trial.samples->warm.size(), 2u);
}

TEST_F(WithMishaps, a_variant_that_writes_nowhere_has_crashed_and_the_next_passes) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer takes the signal for itself";
#endif
  const Trial trial = coordinator.run(config("null_write"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_EQ(trial.config, config("null_write"));
  EXPECT_THAT(trial.detail, HasSubstr("the worker was killed by signal 11 (Segmentation fault) during gate"));
  expect_going_on(coordinator);
}

TEST_F(WithMishaps, a_worker_killed_while_its_compiler_runs_leaves_no_files) {
  const TemporaryFolder folder;
  WorkerSettings settings = worker_settings(test::mishaps_folder());
  settings.options.temporary_directory = folder.path();
  {
    Coordinator coordinator(settings);
    prepare(coordinator);
    std::ignore = coordinator.run(config("null_write"), std::nullopt);
    std::ofstream(std::filesystem::directory_iterator(folder.path())->path() / "left by a compiler") << "x";
    expect_going_on(coordinator);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(WithMishaps, several_jobs_end_trials_as_one_does_and_leave_no_files) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::pair<Outcome, std::string>>> runs;
  const std::vector<Config> configs{config("none"), config("compile_error"), config("wrong"), config("leaves"),
                                    config("none")};
  for (const std::size_t jobs : {1, 3}) {
    WorkerSettings settings = worker_settings(test::mishaps_folder());
    settings.options.temporary_directory = folder.path();
    settings.jobs = jobs;
    Coordinator coordinator(settings);
    prepare(coordinator);
    runs.emplace_back();
    for (std::size_t i = 0; i < configs.size(); ++i) {
      coordinator.expect({configs.begin() + static_cast<std::ptrdiff_t>(i), configs.end()});
      const Trial trial = coordinator.run(configs[i], std::nullopt);
      EXPECT_GT(trial.compile_seconds + (trial.outcome == Outcome::crashed ? 1 : 0), 0);
      runs.back().emplace_back(trial.outcome, trial.detail);
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[1][1].first, Outcome::compile_failed);
  EXPECT_EQ(runs[1][3].first, Outcome::crashed);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(WithMishaps, several_jobs_precheck_as_one_does_and_leave_no_files) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::string>> runs;
  for (const std::size_t jobs : {1, 3}) {
    WorkerSettings settings = worker_settings(test::mishaps_folder());
    settings.options.temporary_directory = folder.path();
    settings.jobs = jobs;
    Coordinator coordinator(settings);
    runs.emplace_back();
    for (const PrecheckVerdict& verdict : coordinator.prechecks(
             "mishaps", problem_, {config("none"), config("hidden"), config("leaves"), config("none")}, 1))
      runs.back().push_back(to_string(verdict));
    EXPECT_TRUE(coordinator.prechecks("mishaps", problem_, {}, 1).empty());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_THAT(runs[1],
              ElementsAre("passed", HasSubstr("read-only memory"), testing::StartsWith("rejected: "), "passed"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// As one that is killed for want of memory does.
TEST_F(WithMishaps, a_compiler_that_fails_beside_others_proves_no_variant_wrong) {
  const TemporaryFolder folder;
  const std::filesystem::path compiler = folder.path() / "alone";
  std::ofstream(compiler) << R"(#!/bin/sh
case "$*" in *HOST_WATCHED*)
  mkdir "$0.lock" 2>/dev/null || exit 1
  c++ "$@"; code=$?
  rmdir "$0.lock"; exit $code;;
esac
exec c++ "$@"
)";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  WorkerSettings settings = worker_settings(test::mishaps_folder());
  settings.options.cxx_compiler = compiler.string();
  settings.jobs = 3;
  Coordinator coordinator(settings);
  Config other = config("none");
  other.back().second = std::int64_t{64};
  const auto verdicts = coordinator.prechecks("mishaps", problem_, {config("none"), other, config("hidden")}, 1);
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(to_string(verdicts[0]), "passed");
  EXPECT_EQ(to_string(verdicts[1]), "passed");
  EXPECT_THAT(to_string(verdicts[2]), HasSubstr("read-only memory"));
}

// The worker sees to it: what ended the coordinator may not have let it.
TEST_F(WithMishaps, a_coordinator_that_is_gone_takes_its_worker_and_its_files_along) {
  const TemporaryFolder folder;
  WorkerSettings settings = worker_settings(test::mishaps_folder());
  settings.options.temporary_directory = folder.path();
  const pid_t coordinator = ::fork();
  if (coordinator == 0) {
    Coordinator doomed(settings);
    std::filesystem::create_directory(folder.path() / "ready");
    ::pause();
  }
  while (!std::filesystem::exists(folder.path() / "ready")) ::usleep(10'000);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  ::kill(coordinator, SIGKILL);
  ::waitpid(coordinator, nullptr, 0);
  for (int i = 0; i < 1000 && std::distance(std::filesystem::directory_iterator(folder.path()), {}) > 1; ++i)
    ::usleep(10'000);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "the worker's folder is left";
}

TEST_F(WithMishaps, the_last_words_of_a_variant_are_kept_as_valid_text) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  const Trial trial = coordinator.run(config("last_words"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_THAT(trial.detail, AllOf(HasSubstr("signal 4 (Illegal instruction)"),
                                  HasSubstr("its last words: farewell \xef\xbf\xbd\xef\xbf\xbd")));
  expect_going_on(coordinator);
}

TEST_F(WithMishaps, a_variant_that_ends_the_process_has_crashed_with_its_exit_code) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  testing::internal::CaptureStderr();
  const Trial trial = coordinator.run(config("leaves"), two_samples());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the trial says it already";
  EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_THAT(trial.detail, HasSubstr("the worker exited with code 3 during gate"));
}

TEST_F(WithMishaps, a_variant_that_never_ends_is_timed_out_and_the_next_passes) {
  Coordinator coordinator(worker_settings(test::mishaps_folder(), Seconds(3)));
  prepare(coordinator);
  const Trial trial = coordinator.run(config("endless"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::timed_out);
  EXPECT_EQ(trial.detail, "gate took longer than 3 s; --timeout allows more");
  expect_going_on(coordinator);
}

// More than a pipe holds.
TEST_F(WithMishaps, a_variant_that_prints_a_lot_is_not_held_up) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  const Trial trial = coordinator.run(config("chatty"), std::nullopt);
  EXPECT_EQ(trial.outcome, Outcome::passed) << trial.detail;
}

TEST_F(WithMishaps, a_variant_that_does_not_compile_says_on_which_line_of_the_template) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  const std::string before = kernel_.source.text.substr(0, kernel_.source.text.find("static_assert"));
  const auto line = 1 + std::ranges::count(before, '\n');
  const Trial trial = coordinator.run(config("compile_error"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::compile_failed);
  EXPECT_THAT(trial.detail, AllOf(HasSubstr("mishaps.hip:" + std::to_string(line) + ":"), HasSubstr("as asked for")));
}

TEST_F(WithMishaps, a_wrong_variant_is_wrong_and_has_no_time) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  prepare(coordinator);
  const Trial trial = coordinator.run(config("wrong"), two_samples());
  EXPECT_EQ(trial.outcome, Outcome::wrong);
  EXPECT_THAT(trial.detail, HasSubstr("y[0, 0] is nan"));
  EXPECT_FALSE(trial.samples);
}

TEST_F(WithMishaps, the_device_s_own_copy_is_timed) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  const Samples samples = coordinator.time_device_copy(8192, two_samples());
  EXPECT_EQ(samples.cold.size(), 2u);
  EXPECT_EQ(samples.warm.size(), 2u);
}

TEST_F(WithMishaps, a_kernel_that_nobody_knows_is_an_error_that_the_worker_survives) {
  Coordinator coordinator(worker_settings(test::mishaps_folder()));
  try {
    coordinator.prepare("missing", problem_, 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("missing"));
  }
  prepare(coordinator);
  expect_going_on(coordinator);
}

TEST_F(WithMishaps, a_device_that_is_not_there_is_an_error) {
  WorkerSettings settings = worker_settings(test::mishaps_folder());
  settings.options.device = "abacus";
  EXPECT_THROW(Coordinator{settings}, Error);
}

// The three files in a folder of the test's own, with a fault in the oracle.
class WithWrongOracle : public WithMishaps {
 protected:
  void break_oracle(const std::string& statement) const {
    for (const char* name : {"mishaps.hip", "mishaps.reference.hip", "mishaps.json"})
      std::filesystem::copy_file(test::mishaps_folder() / name, folder_.path() / name);
    edit(folder_.path() / "mishaps.reference.hip", {"", "y[i] = 2.0", statement + "; y[i] = 2.0"});
  }

  // Of the Error that prepare throws.
  [[nodiscard]] std::string complaint() const {
    Coordinator coordinator(worker_settings(folder_.path()));
    try {
      prepare(coordinator);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const TemporaryFolder folder_;
};

TEST_F(WithWrongOracle, that_does_not_compile_the_error_names_its_file_and_line) {
  break_oracle("nothing");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("mishaps.reference.hip: the oracle does not compile"),
                                 HasSubstr("mishaps.reference.hip:9:")));
}

TEST_F(WithWrongOracle, that_crashes_the_error_names_its_file_and_the_signal) {
  break_oracle("__builtin_trap()");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("mishaps.reference.hip: the oracle seems to be wrong"),
                                 HasSubstr("the worker was killed by signal 4"), HasSubstr("during prepare")));
}

TEST_F(WithWrongOracle, that_was_mended_the_same_coordinator_goes_on) {
  break_oracle("__builtin_trap()");
  Coordinator coordinator(worker_settings(folder_.path()));
  EXPECT_THROW(prepare(coordinator), Error);
  edit(folder_.path() / "mishaps.reference.hip", {"", "__builtin_trap(); ", ""});
  prepare(coordinator);
  expect_going_on(coordinator);
}

TEST_F(WithMishaps, restarts_leave_no_process_and_no_descriptor_behind) {
  const std::ptrdiff_t before = test::open_descriptors();
  {
    Coordinator coordinator(worker_settings(test::mishaps_folder()));
    prepare(coordinator);
    const std::ptrdiff_t with_a_worker = test::open_descriptors();
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(coordinator.run(config("leaves"), std::nullopt).outcome, Outcome::crashed);
      EXPECT_EQ(coordinator.run(config("none"), std::nullopt).outcome, Outcome::passed);
      EXPECT_EQ(test::open_descriptors(), with_a_worker);
    }
  }
  EXPECT_EQ(test::open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker is left";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace hiptune
