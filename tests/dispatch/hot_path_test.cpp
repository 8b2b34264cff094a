// Every allocation of this program is counted, whichever thread makes it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "dispatch/two_step.hpp"
#include "dispatch/world.hpp"
#include "hiptune/hiptune.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace hiptune {
namespace {

TEST(HotPath, the_count_sees_an_allocation) {
  const long before = allocations;
  delete new int(1);
  EXPECT_EQ(allocations - before, 1);
}

TEST(HotPath, a_warmed_call_allocates_nothing) {
  test::World world;
  world.tuned("row_rms", {16, 40}, {"REDUCTION=lds_tree", "BLOCK_SIZE=64"});
  const test::Rmsnorm kernel = test::bind_rmsnorm(Dispatcher(world.options()));
  test::Matrices matrices(16, 40);
  matrices.prepare(kernel);
  (void)matrices.call(kernel);
  const long before = allocations;
  for (int i = 0; i < 100; ++i) (void)matrices.call(kernel);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_LT(matrices.error(), test::kRightError);
}

TEST(HotPath, a_warmed_call_of_the_fallback_allocates_nothing) {
  test::World world;
  const test::Rmsnorm kernel = test::bind_rmsnorm(Dispatcher(world.options()));
  test::Matrices matrices(16, 40);
  matrices.prepare(kernel);  // an empty list: the fallback serves
  (void)matrices.call(kernel);
  const long before = allocations;
  for (int i = 0; i < 20; ++i) (void)matrices.call(kernel);
  EXPECT_EQ(allocations - before, 0);
}

TEST(HotPath, a_warmed_call_with_a_workspace_allocates_nothing) {
  test::World world;
  test::write_two_step(world);
  const test::TwoStep kernel = test::bind_two_step(Dispatcher(world.options()));
  test::TwoStepCall call(9, 7);
  kernel.prepare(call.x.data(), call.y.data(), 9, 7);
  ASSERT_EQ(call.run(kernel), Status::success) << last_error();
  const long before = allocations;
  for (int i = 0; i < 20; ++i) (void)call.run(kernel);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(call.is_right());
}

TEST(HotPath, a_warmed_call_through_c_allocates_nothing) {
  test::World world;
  test::write_two_step(world);
  hiptune_dispatcher* dispatcher = nullptr;
  hiptune_kernel* kernel = nullptr;
  ASSERT_EQ(hiptune_open("host", "", world.kernel_folder().c_str(), &dispatcher), HIPTUNE_SUCCESS);
  ASSERT_EQ(hiptune_bind(dispatcher, "two_step", "f32", nullptr, 0, &kernel), HIPTUNE_SUCCESS);
  test::TwoStepCall call(9, 7);
  const float* x = call.x.data();
  float* y = call.y.data();
  std::int64_t rows = 9, cols = 7;
  const std::array<void*, 4> arguments{&x, &y, &rows, &cols};
  ASSERT_EQ(hiptune_prepare(kernel, arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  ASSERT_EQ(hiptune_launch(kernel, nullptr, arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  const long before = allocations;
  for (int i = 0; i < 20; ++i) (void)hiptune_launch(kernel, nullptr, arguments.data());
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(call.is_right());
  hiptune_release(kernel);
  hiptune_close(dispatcher);
}

}  // namespace
}  // namespace hiptune
