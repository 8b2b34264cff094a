// The orders in which the CPU runs the threads of a block, and what they bring to light.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using Order = Schedule::Order;

class HostSchedule : public testing::Test {
 protected:
  Bench bench{"host"};

  // The order in which a block's threads ran `rounds` times, separated by barriers.
  std::vector<int> trace(const Schedule& schedule, int threads, int rounds) {
    const auto module = bench.load_body("int* out, int rounds", R"(
      int* next = dynamic_lds<int>();
      if (rounds < 0) return;
      for (int i = 0; i < rounds; ++i) {
        out[1 + out[0]++] = threadIdx.x;
        barrier();
      })");
    const auto count = static_cast<std::size_t>(threads * rounds);
    const DeviceMemory out = bench.upload(std::vector<int>(count + 1, 0));
    bench.device().set_schedule(schedule);
    bench.launch(*module, geometry(1, threads, 64), pointer<int>(out), rounds);
    const std::vector<int> values = bench.download<int>(out);
    return {values.begin() + 1, values.end()};
  }
  static std::vector<int> ascending(int count) {
    std::vector<int> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
  }

  // Whether a tree reduction without its barrier before the tree gives the right sum.
  bool racy_sum_is_right(const Schedule& schedule) {
    const auto module = bench.load_body("int* out", R"(
      int* lds = dynamic_lds<int>();
      const int t = threadIdx.x;
      lds[t] = t + 1;
      for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) lds[t] += lds[t + s];
        barrier();
      }
      if (t == 0) *out = lds[0];)");
    const DeviceMemory out = bench.upload<int>({0});
    bench.device().set_schedule(schedule);
    bench.launch(*module, geometry(1, 128, 512), pointer<int>(out));
    return bench.download<int>(out).at(0) == 128 * 129 / 2;
  }
};

TEST_F(HostSchedule, forward_runs_threads_in_order_in_every_round) {
  std::vector<int> twice = ascending(100);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 100);
  EXPECT_EQ(trace({Order::forward, 0}, 100, 2), twice);
}

TEST_F(HostSchedule, backward_runs_them_from_the_last) {
  std::vector<int> reversed = ascending(100);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(trace({Order::backward, 0}, 100, 1), reversed);
}

TEST_F(HostSchedule, shuffled_runs_each_thread_once_in_a_new_order_each_round) {
  const std::vector<int> order = trace({Order::shuffled, 3}, 100, 2);
  const std::vector<int> first(order.begin(), order.begin() + 100);
  const std::vector<int> second(order.begin() + 100, order.end());
  EXPECT_NE(first, ascending(100));
  EXPECT_NE(first, second);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(ascending(100)));
  EXPECT_THAT(second, testing::UnorderedElementsAreArray(ascending(100)));
}

TEST_F(HostSchedule, a_seed_repeats_its_order_and_another_gives_another) {
  const std::vector<int> order = trace({Order::shuffled, 3}, 100, 2);
  EXPECT_EQ(trace({Order::shuffled, 3}, 100, 2), order);
  EXPECT_NE(trace({Order::shuffled, 4}, 100, 2), order);
}

TEST_F(HostSchedule, launches_under_one_schedule_shuffle_differently) {
  const auto module = bench.load_body("int* out", "out[1 + out[0]++] = threadIdx.x;");
  bench.device().set_schedule({Order::shuffled, 5});
  std::vector<std::vector<int>> orders;
  for (int i = 0; i < 2; ++i) {
    const DeviceMemory out = bench.upload(std::vector<int>(65, 0));
    bench.launch(*module, geometry(1, 64), pointer<int>(out));
    orders.push_back(bench.download<int>(out));
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST_F(HostSchedule, blocks_are_reordered_too_and_each_runs_once) {
  const auto module = bench.load_body("int* out", "if (blockIdx.x == 0) *out = 1;\n out[1 + blockIdx.x] = 2 + *out;");
  for (const Order order : {Order::forward, Order::backward, Order::shuffled}) {
    const DeviceMemory out = bench.upload(std::vector<int>(101, 0));
    bench.device().set_schedule({order, 3});
    bench.launch(*module, geometry(100, 1), pointer<int>(out));
    const std::vector<int> values = bench.download<int>(out);
    EXPECT_THAT(values, testing::Not(testing::Contains(0)));
    // What relies on block 0 having run shows, since the last block no longer comes last.
    if (order == Order::backward) {
      EXPECT_EQ(values.back(), 2);
    }
  }
}

TEST_F(HostSchedule, a_missing_barrier_shows_under_some_schedule) {
  // Backward hides this one: the upper half has written before the lower half reads.
  EXPECT_TRUE(racy_sum_is_right({Order::backward, 0}));
  EXPECT_FALSE(racy_sum_is_right({Order::forward, 0}));
  EXPECT_FALSE(racy_sum_is_right({Order::shuffled, 1}));
}

TEST_F(HostSchedule, lds_starts_every_launch_as_nan) {
  const auto reads = bench.load_body("float* out", "out[threadIdx.x] = dynamic_lds<float>()[threadIdx.x];");
  const auto writes = bench.load_body("", "dynamic_lds<float>()[threadIdx.x] = 1;");
  const DeviceMemory out = bench.upload(std::vector<float>(256, 0));
  for (int i = 0; i < 2; ++i) {
    bench.launch(*reads, geometry(1, 256, 1024), pointer<float>(out));
    EXPECT_THAT(bench.download<float>(out), testing::Each(testing::IsNan()));
    bench.launch(*writes, geometry(64, 256, 1024));
  }
}

TEST_F(HostSchedule, lanes_that_a_wave_lacks_read_as_nan) {
  const auto module = bench.load_body("float* out", "out[threadIdx.x] = shuffle_down(1.0f, 8);");
  const DeviceMemory out = bench.upload(std::vector<float>(12, 0));
  bench.launch(*module, geometry(1, 12), pointer<float>(out));
  const std::vector<float> values = bench.download<float>(out);
  EXPECT_EQ(values[3], 1);
  EXPECT_THAT(values[4], testing::IsNan());
}

}  // namespace hiptune::device_tests
