// What only the CPU checks: that threads which wait for each other meet at one place.
#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::AllOf;
using testing::HasSubstr;

class Faults : public testing::TestWithParam<std::string> {
 protected:
  Bench bench{GetParam()};

  std::string fault(const std::string& body, int block = 128, int grid = 1) {
    const auto module = bench.load_body("int* out", body);
    const DeviceMemory out = bench.upload(std::vector<int>(4096, 0));
    const std::string message =
        message_of<KernelFault>([&] { bench.launch(*module, geometry(grid, block, 4096), pointer<int>(out)); });
    expect_usable();
    return message;
  }

  void expect_usable() {
    const auto module = bench.load_body("int* out", R"(
      dynamic_lds<int>()[threadIdx.x] = wave_sum(1);
      barrier();
      out[threadIdx.x] = dynamic_lds<int>()[blockDim.x - 1 - threadIdx.x];)");
    const DeviceMemory out = bench.upload(std::vector<int>(256, 0));
    bench.launch(*module, geometry(1, 256, 1024), pointer<int>(out));
    EXPECT_THAT(bench.download<int>(out), testing::Each(bench.facts().wave_size));
  }

  static std::string line(int of_body) { return "line " + std::to_string(kLinesBeforeBody + of_body); }
};
INSTANTIATE_TEST_SUITE_P(WaveSizes, Faults, testing::Values("host", "host:wave64"), name_of_device);

TEST_P(Faults, two_barriers_in_one_round) {
  EXPECT_THAT(fault("if (threadIdx.x < 64)\n  barrier();\nelse\n  barrier();"),
              AllOf(HasSubstr("divergent barrier: thread 0 waits at " + line(2)), HasSubstr("thread 64 at " + line(4)),
                    HasSubstr("(k, block 0)")));
}

TEST_P(Faults, a_thread_that_returns_before_a_barrier) {
  EXPECT_THAT(fault("if (threadIdx.x == 77) return;\nbarrier();"),
              AllOf(HasSubstr("divergent barrier: thread 0 waits at " + line(2)), HasSubstr("thread 77 returned")));
}

TEST_P(Faults, a_barrier_that_half_of_the_block_reaches) {
  EXPECT_THAT(fault("if (threadIdx.x >= 64) barrier();"),
              AllOf(HasSubstr("divergent barrier: thread 64"), HasSubstr("thread 0 returned")));
}

TEST_P(Faults, unequal_trip_counts_around_a_barrier) {
  EXPECT_THAT(fault("for (unsigned i = 0; i < 3 + threadIdx.x / 100; ++i) barrier();"),
              AllOf(HasSubstr("divergent barrier: thread 100 waits at " + line(1)), HasSubstr("thread 0 returned")));
}

TEST_P(Faults, two_shuffles_in_one_wave) {
  EXPECT_THAT(fault("if (lane() < 5)\n  *out = shuffle(1, 0);\nelse\n  *out = shuffle_xor(1, 1);"),
              AllOf(HasSubstr("divergent shuffle: thread 0 waits at " + line(2)),
                    HasSubstr("thread 5 of its wave at " + line(4))));
}

TEST_P(Faults, a_shuffle_while_others_of_the_wave_wait_at_a_barrier) {
  EXPECT_THAT(fault("if (lane() != 9)\n  *out = wave_sum(1);\nbarrier();"),
              AllOf(HasSubstr("divergent shuffle: thread 0 waits at " + line(2) + " for thread 9"),
                    HasSubstr("barrier of " + line(3))));
}

TEST_P(Faults, a_fault_of_a_later_wave_names_its_threads) {
  const int wave_size = bench.facts().wave_size;
  EXPECT_THAT(fault("if (wave() == 1 && lane() == 3)\n  *out = shuffle(1, 0);\nelse\n  *out = shuffle(2, 0);"),
              AllOf(HasSubstr("thread " + std::to_string(wave_size) + " waits"),
                    HasSubstr("thread " + std::to_string(wave_size + 3) + " of its wave")));
}

TEST_P(Faults, the_message_names_the_block) {
  EXPECT_THAT(fault("if (blockIdx.x == 5 && threadIdx.x == 0) return;\nbarrier();", 64, 20), HasSubstr("(k, block 5)"));
}

TEST_P(Faults, blocks_after_a_fault_are_skipped) {
  const auto module = bench.load_body("int* out", R"(
    if (blockIdx.x == 0 && threadIdx.x == 0) return;
    barrier();
    out[blockIdx.x] = 1;)");
  const std::size_t blocks = 200000;
  const DeviceMemory out = bench.upload(std::vector<int>(blocks, 0));
  EXPECT_THROW(bench.launch(*module, geometry(blocks, 2), pointer<int>(out)), KernelFault);
  const std::vector<int> ran = bench.download<int>(out);
  EXPECT_EQ(ran.front(), 0);
  EXPECT_EQ(ran.back(), 0);
}

TEST_P(Faults, a_thousand_faults_leave_the_device_as_it_was) {
  const auto module = bench.load_body("", "if (threadIdx.x != 500) barrier();");
  for (int i = 0; i < 1000; ++i) ASSERT_THROW(bench.launch(*module, geometry(4, 1024)), KernelFault);
  expect_usable();
}

TEST_P(Faults, lds_written_beyond_what_the_launch_declares) {
  const auto module = bench.load_body("int bytes", "dynamic_lds<char>()[bytes - 1] = 1;");
  bench.launch(*module, geometry(3, 64, 100), 100);
  EXPECT_THAT([&] { bench.launch(*module, geometry(3, 64, 100), 101); },
              testing::ThrowsMessage<KernelFault>(
                  HasSubstr("LDS overrun: a block wrote byte 100, and the plan's dynamic_lds is 100 bytes")));
  EXPECT_THROW(bench.launch(*module, geometry(1, 64, 0), 65536), KernelFault);
  EXPECT_THAT([&] { bench.launch(*module, geometry(3, 64, 100), 0); },
              testing::ThrowsMessage<KernelFault>(HasSubstr("a block wrote byte -1")));
  bench.launch(*module, geometry(1, 64, 65536), 65536);
  expect_usable();
}

TEST_P(Faults, every_schedule_finds_them) {
  using Order = Schedule::Order;
  for (const Order order : {Order::forward, Order::backward, Order::shuffled}) {
    bench.device().set_schedule({order, 11});
    EXPECT_THAT(fault("if (threadIdx.x != 3) barrier();"), HasSubstr("thread 3 returned"));
    EXPECT_THAT(fault("if (lane() % 2) *out = shuffle(1, 0);\nelse *out = shuffle(2, 0);"), HasSubstr("shuffle"));
  }
}

}  // namespace hiptune::device_tests
