#include "measure/rotation.hpp"

#include <gtest/gtest.h>

namespace hiptune {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPlenty = std::size_t{1} << 40;

TEST(Rotation, sets_exceed_the_cache_three_times) {
  const RotationPlan plan = plan_rotation(32 * kMiB, 64 * kMiB, kPlenty);
  EXPECT_EQ(plan.sets, 7U);  // six make 192 MiB, and one more keeps the first out of reach
  EXPECT_EQ(plan.flush_bytes, 0U);
}

TEST(Rotation, small_sets_stop_at_256_and_flush_with_twice_the_cache) {
  const RotationPlan plan = plan_rotation(1000, 64 * kMiB, kPlenty);
  EXPECT_EQ(plan.sets, 256U);
  EXPECT_EQ(plan.flush_bytes, 128 * kMiB);
}

TEST(Rotation, short_memory_means_fewer_sets_and_a_flush) {
  const RotationPlan plan = plan_rotation(32 * kMiB, 512 * kMiB, 100 * kMiB);
  EXPECT_EQ(plan.sets, 3U);
  EXPECT_EQ(plan.flush_bytes, 1024 * kMiB);
}

TEST(Rotation, a_set_far_larger_than_the_cache_still_alternates) {
  EXPECT_EQ(plan_rotation(1000 * kMiB, 64 * kMiB, kPlenty).sets, 2U);
}

TEST(Rotation, there_is_always_one_set) { EXPECT_EQ(plan_rotation(1000 * kMiB, 64 * kMiB, 0).sets, 1U); }

TEST(Rotation, an_unknown_cache_is_taken_for_a_large_one) { EXPECT_EQ(plan_rotation(256 * kMiB, 0, kPlenty).sets, 4U); }

}  // namespace
}  // namespace hiptune
