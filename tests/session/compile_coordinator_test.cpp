#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hiptune/error.hpp"
#include "problem/kernel.hpp"
#include "session/coordinator.hpp"
#include "session_bench.hpp"

// A coordinator that opens a compiler and no device, with the real program as worker and the tests' amd backend.
namespace hiptune {
namespace {

using test::MadeUpGpu;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

class WithCompilerOnly : public testing::Test {
 protected:
  [[nodiscard]] static WorkerSettings settings(const std::string& architecture, Seconds deadline = Seconds(60)) {
    WorkerSettings settings = test::worker_settings(test::mishaps_folder(), deadline);
    settings.options.device = "abacus";  // nobody opens it
    settings.architecture = architecture;
    return settings;
  }

  [[nodiscard]] Trial compile(Coordinator& coordinator, const std::string& mishap, std::int64_t block) const {
    const Config config = make_config(kernel_.space, {{"MISHAP", mishap}, {"BLOCK_SIZE", block}}, "test");
    return coordinator.compile("mishaps", problem_, config, std::nullopt);
  }

  const Kernel kernel_ = KernelPath({test::mishaps_folder()}, {}).load("mishaps");
  const Problem problem_ = make_problem(kernel_.space, {100}, Dtype::f32, {});
  const MadeUpGpu gpu_;
};

TEST_F(WithCompilerOnly, the_target_is_the_architecture_with_its_compiler_s_facts) {
  const Coordinator coordinator(settings("gfxfine"));
  EXPECT_EQ(coordinator.target().backend, "amd");
  EXPECT_EQ(coordinator.target().architecture, "gfxfine");
  EXPECT_EQ(coordinator.target().facts.wave_size, 32);
  EXPECT_EQ(coordinator.compiler_version(), "made-up compiler 1");
}

TEST_F(WithCompilerOnly, a_variant_is_compiled_with_its_resources_and_does_not_run) {
  Coordinator coordinator(settings("gfxfine"));
  const Trial trial = compile(coordinator, "endless", 32);
  EXPECT_EQ(trial.outcome, Outcome::compiled) << trial.detail;
  EXPECT_TRUE(trial.is_good());
  ASSERT_EQ(trial.resources.size(), 1u);
  EXPECT_EQ(trial.resources[0].vgprs, 101);
  EXPECT_EQ(trial.resources[0].sgprs, std::nullopt);
  EXPECT_FALSE(trial.isa_hash.empty());
  EXPECT_GT(trial.compile_seconds, 0);
}

TEST_F(WithCompilerOnly, the_code_object_is_written_where_asked) {
  const TemporaryFolder folder;
  Coordinator coordinator(settings("gfxfine"));
  const Config config = make_config(kernel_.space, {{"MISHAP", std::string("none")}, {"BLOCK_SIZE", 32}}, "test");
  const Trial trial = coordinator.compile("mishaps", problem_, config, folder.path() / "code");
  EXPECT_EQ(trial.outcome, Outcome::compiled);
  EXPECT_THAT(test::text_of_file(folder.path() / "code"), testing::StartsWith("\x7f"
                                                                              "ELF"));
  try {
    (void)coordinator.compile("mishaps", problem_, config, folder.path() / "missing" / "code");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("missing/code: cannot be written"));
  }
}

TEST_F(WithCompilerOnly, a_variant_that_does_not_compile_has_its_compiler_s_log) {
  Coordinator coordinator(settings("gfxfine"));
  const Trial trial = compile(coordinator, "compile_error", 32);
  EXPECT_EQ(trial.outcome, Outcome::compile_failed);
  EXPECT_THAT(trial.detail, HasSubstr("as asked for"));
  EXPECT_TRUE(trial.resources.empty());
}

TEST_F(WithCompilerOnly, a_compiler_that_aborts_is_a_crashed_trial_and_the_next_compiles) {
  Coordinator coordinator(settings("gfxaborts"));
  const Trial trial = compile(coordinator, "none", 64);
  EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_THAT(trial.detail, AllOf(HasSubstr("was killed by signal 6 (Aborted) during compile"),
                                  HasSubstr("LLVM ERROR: out of registers")));
  EXPECT_EQ(compile(coordinator, "none", 32).outcome, Outcome::compiled);
}

TEST_F(WithCompilerOnly, a_compiler_that_aborts_and_leaves_a_process_is_crashed_and_not_late) {
  Coordinator coordinator(settings("gfxforks"));
  const Trial trial = compile(coordinator, "none", 64);
  EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_THAT(trial.detail, HasSubstr("was killed by signal 6 (Aborted) during compile"));
}

TEST_F(WithCompilerOnly, a_compiler_that_hangs_is_a_trial_that_timed_out_and_the_next_compiles) {
  Coordinator coordinator(settings("gfxhangs", Seconds(5)));
  const Trial trial = compile(coordinator, "none", 64);
  EXPECT_EQ(trial.outcome, Outcome::timed_out);
  EXPECT_EQ(trial.detail, "compile took longer than 5 s; --timeout allows more");
  EXPECT_EQ(compile(coordinator, "none", 32).outcome, Outcome::compiled);
}

TEST_F(WithCompilerOnly, an_architecture_that_the_compiler_does_not_know_is_unavailable) {
  try {
    const Coordinator coordinator(settings("gfxunknown"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), HasSubstr("does not know 'gfxunknown'"));
  }
}

}  // namespace
}  // namespace hiptune
