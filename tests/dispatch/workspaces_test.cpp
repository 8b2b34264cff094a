#include "dispatch/workspaces.hpp"

#include <gtest/gtest.h>

#include "dispatch/two_step.hpp"
#include "made_up_device.hpp"

namespace hiptune {
namespace {

using detail::Workspaces;
using detail::WorkspaceSlot;

TEST(Workspaces, grow_when_a_call_needs_more_and_are_kept_else) {
  MadeUpDevice device;
  Workspaces workspaces(device);
  WorkspaceSlot& slot = workspaces.of_this_thread(nullptr);
  void** where = workspaces.require(slot, 0, 100);
  const void* first = *where;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(*workspaces.require(slot, 0, 60), first);
  EXPECT_EQ(workspaces.require(slot, 0, 5000), where);
  EXPECT_EQ(slot.memory[0].bytes(), 5000u);
  EXPECT_EQ(*where, slot.memory[0].data());
}

// Launches in flight use the smaller one, and a graph that was captured with it may do so for ever.
TEST(Workspaces, keep_what_they_outgrew_which_is_never_more_than_the_last) {
  MadeUpDevice device;
  {
    Workspaces workspaces(device);
    WorkspaceSlot& slot = workspaces.of_this_thread(nullptr);
    for (const std::size_t bytes : {100, 101, 102, 150, 1000, 1001}) (void)workspaces.require(slot, 0, bytes);
    EXPECT_EQ(device.released, 0);
    std::size_t outgrown = 0;
    for (const DeviceMemory& memory : slot.outgrown) outgrown += memory.bytes();
    EXPECT_EQ(outgrown, 100u + 200u + 1000u);
    EXPECT_EQ(slot.memory[0].bytes(), 2000u);
  }
  EXPECT_EQ(device.released, 4);
}

TEST(Workspaces, of_a_stream_that_is_forgotten_are_released_and_their_place_is_taken_again) {
  MadeUpDevice device;
  Workspaces workspaces(device);
  int streams[2];
  WorkspaceSlot* first = &workspaces.of_this_thread(&streams[0]);
  (void)workspaces.require(*first, 0, 100);
  (void)workspaces.require(*first, 0, 101);
  WorkspaceSlot& kept = workspaces.of_this_thread(nullptr);
  (void)workspaces.require(kept, 0, 100);
  workspaces.forget(&streams[0]);
  EXPECT_EQ(device.released, 2);
  EXPECT_EQ(&workspaces.of_this_thread(&streams[1]), first);
  EXPECT_EQ(first->memory[0].data(), nullptr);
  EXPECT_EQ(&workspaces.of_this_thread(nullptr), &kept);
  EXPECT_NE(kept.memory[0].data(), nullptr);
}

TEST(Workspaces, that_cannot_double_take_what_is_needed) {
  MadeUpDevice device;
  device.largest_allocation = 150;
  Workspaces workspaces(device);
  WorkspaceSlot& slot = workspaces.of_this_thread(nullptr);
  (void)workspaces.require(slot, 0, 100);
  (void)workspaces.require(slot, 0, 101);
  EXPECT_EQ(slot.memory[0].bytes(), 101u);
  EXPECT_THROW((void)workspaces.require(slot, 0, 151), Error);
  EXPECT_EQ(slot.memory[0].bytes(), 101u);
}

TEST(Workspaces, each_thread_and_stream_has_its_own) {
  MadeUpDevice device;
  Workspaces workspaces(device);
  int a = 0, b = 0;  // stand for streams
  WorkspaceSlot* mine = &workspaces.of_this_thread(&a);
  EXPECT_EQ(&workspaces.of_this_thread(&a), mine);
  EXPECT_NE(&workspaces.of_this_thread(&b), mine);
  WorkspaceSlot* other = nullptr;
  std::jthread([&] { other = &workspaces.of_this_thread(&a); }).join();
  EXPECT_NE(other, mine);
}

TEST(Workspaces, a_plan_of_two_launches_is_right_for_growing_and_shrinking_calls) {
  test::World world;
  test::write_two_step(world);
  world.tuned("two_step", {100, 6}, {"BLOCK_SIZE=64"});
  const test::TwoStep kernel = test::bind_two_step(Dispatcher(world.options()));
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{3, 6}, {500, 6}, {7, 6}, {1000, 11}, {1, 1}}) {
    test::TwoStepCall fallback(rows, cols), prepared(rows, cols, 3);
    ASSERT_EQ(fallback.run(kernel), Status::success) << last_error();
    EXPECT_TRUE(fallback.is_right()) << rows << " x " << cols;
    kernel.prepare(prepared.x.data(), prepared.y.data(), rows, cols);
    ASSERT_EQ(prepared.run(kernel), Status::success) << last_error();
    EXPECT_TRUE(prepared.is_right()) << rows << " x " << cols;
  }
}

}  // namespace
}  // namespace hiptune
