// What works where there is no compiler.
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "cache/code_store.hpp"
#include "cache/files.hpp"
#include "dispatch/world.hpp"
#include "problem/log.hpp"
#include "problem/variant.hpp"

namespace hiptune {
namespace {

using made_up::error_of;
using test::bind_rmsnorm;
using test::kRightError;
using test::Matrices;
using testing::HasSubstr;

// Whether a warning was logged.
struct Warnings : spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (message.level >= spdlog::level::warn) seen = true;
  }
  void flush_() override {}
  std::atomic<bool> seen = false;
};

// While it lives, warnings are seen. The list of sinks has no lock: it outlives whatever logs in the background.
struct WarningsSeen {
  WarningsSeen() { log().sinks().push_back(warnings); }
  ~WarningsSeen() { log().sinks().pop_back(); }
  std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();
};

class CachedCode : public testing::Test {
 protected:
  // Two entries of which only the first one's code, and where asked for the fallback's, is stored.
  void tune_and_store_code(bool with_fallback) {
    world_.tuned("row_rms", {16, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
    Matrices(16, 40).prepare(bind_rmsnorm(Dispatcher(world_.options())));
    if (!with_fallback) forget_fallback();
    world_.tuned("row_rms", {16, 4000}, {"REDUCTION=serial", "BLOCK_SIZE=128"});
    world_.options().cxx_compiler = "no-such-compiler";
  }

  void forget_fallback() {
    const Kernel kernel = world_.path().load("row_rms");
    const Problem problem = make_problem(kernel.space, {16, 40}, Dtype::f32, {});
    const Target target = test::host_target();
    const Variant variant = make_variant(kernel, problem, target.facts, kernel.space.fallback);
    const std::string key = CodeStore::key_of(variant, target);
    std::size_t removed = 0;
    for (const auto& path : list_folder(world_.options().cache / "objects" / key.substr(0, 2)))
      if (path.filename().string().starts_with(key)) removed += std::filesystem::remove(path) ? 1 : 0;
    ASSERT_EQ(removed, 1U);
  }

  test::World world_;
};

TEST_F(CachedCode, stored_code_serves_without_a_compiler) {
  tune_and_store_code(true);
  const test::Rmsnorm kernel = bind_rmsnorm(Dispatcher(world_.options()));
  Matrices exact(16, 40), other(5, 77);
  EXPECT_EQ(exact.explain(kernel).choice, Choice::exact);
  ASSERT_EQ(exact.call(kernel), Status::success) << last_error();
  EXPECT_LT(exact.error(), kRightError);
  ASSERT_EQ(other.call(kernel), Status::success) << last_error();
  EXPECT_LT(other.error(), kRightError);
}

TEST_F(CachedCode, an_entry_whose_code_is_not_stored_gives_way_to_the_next_nearest) {
  tune_and_store_code(true);
  const test::Rmsnorm kernel = bind_rmsnorm(Dispatcher(world_.options()));
  Matrices missing(16, 4000);
  const Explanation explanation = missing.explain(kernel);
  EXPECT_EQ(explanation.choice, Choice::nearest);
  EXPECT_EQ(explanation.tuned_for, "rows=16 cols=40 dtype=f32");
  ASSERT_EQ(missing.call(kernel), Status::success) << last_error();
  EXPECT_LT(missing.error(), 1e-3);
}

TEST_F(CachedCode, a_winner_serves_even_where_the_fallback_is_not_stored) {
  tune_and_store_code(false);
  const test::Rmsnorm kernel = bind_rmsnorm(Dispatcher(world_.options()));
  Matrices matrices(16, 40);
  EXPECT_EQ(matrices.call(kernel), Status::not_ready);  // never seen, and nothing else to serve it
  EXPECT_THAT(last_error(), HasSubstr("no fallback"));
  matrices.prepare(kernel);
  ASSERT_EQ(matrices.call(kernel), Status::success) << last_error();
  EXPECT_LT(matrices.error(), kRightError);
}

// What failed in the background, here for want of code, may succeed when it is prepared.
TEST_F(CachedCode, prepare_tries_anew_what_failed_in_the_background) {
  tune_and_store_code(false);
  const WarningsSeen log_of_test;
  const test::Rmsnorm kernel = bind_rmsnorm(Dispatcher(world_.options()));
  const auto objects = world_.options().cache / "objects", away = world_.options().cache / "away";
  std::filesystem::rename(objects, away);
  log_of_test.warnings->seen = false;  // binding had its own
  Matrices matrices(16, 40);
  EXPECT_EQ(matrices.call(kernel), Status::not_ready);
  while (!log_of_test.warnings->seen) std::this_thread::yield();
  std::filesystem::rename(away, objects);
  matrices.prepare(kernel);
  ASSERT_EQ(matrices.call(kernel), Status::success) << last_error();
  EXPECT_LT(matrices.error(), kRightError);
}

TEST_F(CachedCode, with_neither_code_nor_compiler_binding_says_so) {
  world_.options().cxx_compiler = "no-such-compiler";
  const Error error = error_of([&] { (void)bind_rmsnorm(Dispatcher(world_.options())); });
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("no C++ compiler"));
}

}  // namespace
}  // namespace hiptune
