#include <gtest/gtest.h>

#include <thread>

#include "dispatch/two_step.hpp"
#include "dispatch/world.hpp"

namespace hiptune {
namespace {

constexpr int kThreads = 8;

void on_all_threads(const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
}

TEST(Threads, calls_of_mixed_shapes_are_right_while_their_plans_are_built) {
  test::World world;
  for (std::int64_t cols : {24, 96, 200}) world.tuned("row_rms", {16, cols}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  const test::Rmsnorm kernel = test::bind_rmsnorm(Dispatcher(world.options()));
  std::atomic<int> wrong{0};
  on_all_threads([&](int thread) {
    for (int i = 0; i < 40; ++i) {
      const int shape = thread + i;
      test::Matrices matrices(1 + shape % 5, shape % 3 == 0 ? 24 : shape % 3 == 1 ? 97 : 200, shape % 2);
      if (shape % 11 == 0) matrices.prepare(kernel);
      if (matrices.call(kernel) != Status::success || !(matrices.error() < test::kRightError)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, a_kernel_of_two_launches_keeps_each_threads_workspace_apart) {
  test::World world;
  test::write_two_step(world);
  const test::TwoStep kernel = test::bind_two_step(Dispatcher(world.options()));
  std::atomic<int> wrong{0};
  on_all_threads([&](int thread) {
    for (int i = 0; i < 40; ++i) {
      test::TwoStepCall call(1 + (thread * 7 + i * 13) % 90, 5 + thread % 3, thread);
      if (call.run(kernel) != Status::success || !call.is_right()) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, bindings_of_one_dispatcher_are_made_and_used_at_once) {
  test::World world;
  const Dispatcher dispatcher(world.options());
  std::atomic<int> wrong{0};
  on_all_threads([&](int thread) {
    const test::Rmsnorm kernel = test::bind_rmsnorm(dispatcher);
    test::Matrices matrices(3, 10 + thread);
    if (matrices.call(kernel) != Status::success || !(matrices.error() < test::kRightError)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

// The words of a failure belong to the thread that met it.
TEST(Threads, last_error_is_each_threads_own) {
  test::World world;
  const test::Rmsnorm kernel = test::bind_rmsnorm(Dispatcher(world.options()));
  std::atomic<int> wrong{0};
  on_all_threads([&](int thread) {
    for (int i = 0; i < 100; ++i) {
      test::Matrices matrices(2, 8);
      matrices.cols = -1 - thread;
      if (matrices.call(kernel) != Status::invalid_dimension) ++wrong;
      if (last_error().find("cols is " + std::to_string(-1 - thread) + ",") == std::string::npos) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hiptune
