// Launches as every backend must run them: arguments, geometry, LDS, barriers, limits.
#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::Each;
using testing::HasSubstr;

class Launch : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Launch, testing::ValuesIn(present_devices()), name_of_device);

TEST_P(Launch, arguments_of_every_type_arrive) {
  const auto module =
      bench.load_body("double* __restrict__ out, const float* in, int64 a, float b, double c, int d, const int* none",
                      "out[0] = *in; out[1] = a; out[2] = b; out[3] = c; out[4] = d; out[5] = none == nullptr;");
  const DeviceMemory in = bench.upload<float>({0.5F});
  const DeviceMemory out = bench.upload(std::vector<double>(6, -1));
  bench.launch(*module, geometry(1, 1), pointer<double>(out), pointer<float>(in), std::int64_t{1} << 40, 2.5F, 3.25, -4,
               static_cast<int*>(nullptr));
  EXPECT_EQ(bench.download<double>(out), (std::vector<double>{0.5, 1099511627776.0, 2.5, 3.25, -4, 1}));
}

TEST_P(Launch, an_entry_point_without_parameters_runs) {
  const auto module = bench.load_body("", "");
  EXPECT_NO_THROW(bench.launch(*module, geometry(3, 3)));
}

TEST_P(Launch, every_thread_of_a_three_dimensional_grid_runs_once_with_its_own_indices) {
  const auto module = bench.load_body("int* out", R"(
    const int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
    const int bz = blockIdx.z * blockDim.z + threadIdx.z;
    const int index = (bz * gridDim.y * blockDim.y + by) * gridDim.x * blockDim.x + bx;
    out[index] += 1 + index;)");
  const Geometry shape{.grid = {3, 4, 5}, .block = {6, 7, 2}, .dynamic_lds = 0, .cluster = 1};
  std::vector<int> expected(3 * 4 * 5 * 6 * 7 * 2);
  const DeviceMemory out = bench.upload(expected);
  std::iota(expected.begin(), expected.end(), 1);
  bench.launch(*module, shape, pointer<int>(out));
  EXPECT_EQ(bench.download<int>(out), expected);
}

TEST_P(Launch, lanes_and_waves_count_threads_x_first) {
  const auto module = bench.load_body("int* out", R"(
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[t] = t == wave() * WAVE_SIZE + lane() && lane() < wave_width();)");
  const DeviceMemory out = bench.upload(std::vector<int>(5 * 7 * 4, 0));
  bench.launch(*module, {.grid = {1, 1, 1}, .block = {5, 7, 4}, .dynamic_lds = 0, .cluster = 1}, pointer<int>(out));
  EXPECT_THAT(bench.download<int>(out), Each(1));
}

TEST_P(Launch, a_hundred_thousand_blocks_all_run) {
  const auto module = bench.load_body("unsigned char* out", "out[blockIdx.x * blockDim.x + threadIdx.x] += 1;");
  const DeviceMemory out = bench.upload(std::vector<std::uint8_t>(300000, 0));
  bench.launch(*module, geometry(100000, 3), pointer<std::uint8_t>(out));
  EXPECT_THAT(bench.download<std::uint8_t>(out), Each(1));
}

TEST_P(Launch, threads_exchange_through_dynamic_lds_across_barriers) {
  const auto module = bench.load_body("int* out, int rounds", R"(
    int* lds = dynamic_lds<int>();
    const int t = threadIdx.x, n = blockDim.x;
    lds[t] = t + blockIdx.x;
    for (int i = 0; i < rounds; ++i) {
      barrier();
      const int next = lds[(t + 1) % n];
      barrier();
      lds[t] = next;
    }
    out[blockIdx.x * n + t] = lds[t];)");
  for (const int block : {1, 31, 64, 100, 1024}) {
    const DeviceMemory out = bench.upload(std::vector<int>(static_cast<std::size_t>(block) * 20, -1));
    bench.launch(*module, geometry(20, block, block * 4), pointer<int>(out), 9);
    const std::vector<int> values = bench.download<int>(out);
    for (int i = 0; i < 20 * block; ++i)
      ASSERT_EQ(values[static_cast<std::size_t>(i)], (i % block + 9) % block + i / block) << "block " << block;
  }
}

TEST_P(Launch, all_of_the_targets_lds_can_be_used) {
  const auto module = bench.load_body("int* out, int count", R"(
    int* lds = dynamic_lds<int>();
    for (int i = threadIdx.x; i < count; i += blockDim.x) lds[i] = i;
    barrier();
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = lds[count - 1 - i];)");
  const auto count = static_cast<int>(bench.facts().lds_bytes / 4);
  const DeviceMemory out = bench.upload(std::vector<int>(static_cast<std::size_t>(count), -1));
  bench.launch(*module, geometry(1, 256, bench.facts().lds_bytes), pointer<int>(out), count);
  std::vector<int> expected(static_cast<std::size_t>(count));
  std::iota(expected.rbegin(), expected.rend(), 0);
  EXPECT_EQ(bench.download<int>(out), expected);
}

TEST_P(Launch, small_blocks_after_large_ones_start_afresh) {
  const auto waits = bench.load_body("int* out", "barrier(); out[threadIdx.x] = 1; barrier();");
  const auto runs = bench.load_body("int* out", "out[threadIdx.x] = 2;");
  const DeviceMemory out = bench.upload(std::vector<int>(1024, 0));
  bench.launch(*waits, geometry(1, 1024), pointer<int>(out));
  bench.launch(*waits, geometry(1, 64), pointer<int>(out));
  bench.launch(*runs, geometry(1, 1024), pointer<int>(out));
  EXPECT_THAT(bench.download<int>(out), Each(2));
}

TEST_P(Launch, a_shape_beyond_the_targets_limits_is_refused_by_name) {
  const auto module = bench.load_body("", "");
  const TargetFacts& facts = bench.facts();
  const auto refusal = [&](const Geometry& shape) {
    return message_of<LaunchFailure>([&] { bench.launch(*module, shape); });
  };
  EXPECT_THAT(refusal(geometry(0, 1)), HasSubstr("grid x is 0"));
  EXPECT_THAT(refusal(geometry(facts.max_grid_x + 1, 1)), HasSubstr(std::to_string(facts.max_grid_x)));
  EXPECT_THAT(refusal({.grid = {1, facts.max_grid_yz + 1, 1}}), HasSubstr("grid y"));
  EXPECT_THAT(refusal({.grid = {1, 1, facts.max_grid_yz + 1}}), HasSubstr("grid z"));
  EXPECT_THAT(refusal(geometry(1, 0)), HasSubstr("block x is 0"));
  EXPECT_THAT(refusal(geometry(1, facts.max_block_threads + 1)), HasSubstr("block x"));
  EXPECT_THAT(refusal({.block = {64, 64, 1}}), HasSubstr("threads of a block is 4096"));
  EXPECT_THAT(refusal(geometry(1, 1, facts.lds_bytes + 1)), HasSubstr("dynamic LDS"));
  EXPECT_THAT(refusal(geometry(1, 1, -1)), HasSubstr("dynamic LDS"));
  EXPECT_THAT(refusal({.cluster = facts.max_cluster + 1}), HasSubstr("cluster"));
  if (facts.max_cluster > 1) {
    EXPECT_THAT(refusal({.grid = {3, 1, 1}, .cluster = 2}), HasSubstr("grid x is 3, no multiple of the cluster of 2"));
  }
  EXPECT_NO_THROW(bench.launch(*module, geometry(1, facts.max_block_threads)));
}

TEST_P(Launch, every_block_of_a_cluster_runs) {
  const std::int64_t cluster = bench.facts().max_cluster;
  const auto module = bench.load_body("int* out", "out[blockIdx.x * blockDim.x + threadIdx.x] += 1;");
  const DeviceMemory out = bench.upload(std::vector<int>(static_cast<std::size_t>(3 * cluster) * 64, 0));
  bench.launch(*module, {.grid = {3 * cluster, 1, 1}, .block = {64, 1, 1}, .dynamic_lds = 0, .cluster = cluster},
               pointer<int>(out));
  EXPECT_THAT(bench.download<int>(out), Each(1));
}

TEST_P(Launch, launches_from_four_threads_at_once_do_not_disturb_each_other) {
  const auto module = bench.load_body("int* out, int value", R"(
    int* lds = dynamic_lds<int>();
    lds[threadIdx.x] = value;
    barrier();
    out[blockIdx.x * blockDim.x + threadIdx.x] = lds[blockDim.x - 1 - threadIdx.x];)");
  static_cast<void>(module->function("k"));  // only launches are for any thread, and not the first look at a module
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int value = 1; value <= 4; ++value)
    threads.emplace_back([&, value] {
      const DeviceMemory out = bench.upload(std::vector<int>(64 * 40, 0));
      for (int i = 0; i < 50; ++i) {
        bench.launch(*module, geometry(40, 64, 256), pointer<int>(out), value + i);
        for (const int got : bench.download<int>(out)) wrong += got != value + i;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Launch, timing_runs_what_it_is_given_and_reports_a_duration) {
  const auto module = bench.load_body("int* out", "*out += 1;");
  const DeviceMemory out = bench.upload<int>({0});
  int* target = pointer<int>(out);
  void* arguments[] = {&target};
  const DeviceTime duration = bench.device().time([&](Stream stream) {
    for (int i = 0; i < 3; ++i) bench.device().launch(module->function("k"), geometry(1, 1), arguments, stream);
  });
  EXPECT_GT(duration.time.count(), 0);
  EXPECT_FALSE(duration.late);
  EXPECT_EQ(bench.download<int>(out).at(0), 3);
}

}  // namespace hiptune::device_tests
