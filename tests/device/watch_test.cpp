// The rules of a watched device, on made-up accesses.
#include "device/host/watch.hpp"

#include "device/bench.hpp"

namespace hiptune::device_tests {

using host::Access;
using host::Violation;
using host::Watch;
using testing::HasSubstr;

class WatchRules : public testing::Test {
 protected:
  static constexpr std::size_t kLds = 64;
  static constexpr std::size_t kBefore = 32;  // of the memory around LDS

  void SetUp() override {
    watch.set_buffers(std::vector<WatchedBuffer>{{"y", y.data(), 3, 8, 12, true}, {"x", x.data(), 2, 8, 8, false}});
    begin_launch();
  }
  void begin_launch() {
    watch.begin_launch({memory.data() + kBefore, kLds}, memory);
    watch.begin_block(0);
  }

  std::optional<std::string> access(int thread, const std::byte* address, std::size_t bytes, bool is_write,
                                    std::size_t alignment = 1) {
    const std::optional<Violation> violation =
        watch.check({address, bytes, alignment, is_write, static_cast<std::uint16_t>(thread), 1});
    if (!violation) return std::nullopt;
    return watch.describe(*violation);
  }
  std::optional<std::string> read(int thread, const std::byte* address, std::size_t bytes = 1) {
    return access(thread, address, bytes, false);
  }
  std::optional<std::string> write(int thread, const std::byte* address, std::size_t bytes = 1) {
    return access(thread, address, bytes, true);
  }
  const std::byte* lds(std::ptrdiff_t byte) const { return memory.data() + kBefore + byte; }

  std::vector<std::byte> memory = std::vector<std::byte>(256);
  std::vector<std::byte> y = std::vector<std::byte>(36);
  std::vector<std::byte> x = std::vector<std::byte>(16);
  Watch watch;
};

constexpr auto kFine = std::nullopt;

TEST_F(WatchRules, a_thread_may_do_to_a_byte_what_it_likes) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(write(5, y.data()), kFine);
    EXPECT_EQ(read(5, y.data()), kFine);
  }
}

TEST_F(WatchRules, an_address_is_as_aligned_as_it_is_taken_to_be) {
  const std::byte* even = x.data() + reinterpret_cast<std::uintptr_t>(x.data()) % 4;
  EXPECT_EQ(access(3, even, 4, false, 4), kFine);
  EXPECT_EQ(access(3, even + 2, 4, false, 1), kFine);
  EXPECT_EQ(access(3, even + 2, 4, false, 4),
            "misaligned: thread 3 reads 4 bytes of x at an address that is no multiple of 4");
}

TEST_F(WatchRules, a_read_after_a_write_needs_a_barrier) {
  EXPECT_EQ(write(3, lds(12), 4), kFine);
  EXPECT_EQ(read(7, lds(13)), "race: thread 7 reads LDS byte 13, which thread 3 wrote with no barrier in between");
  watch.pass_barrier();
  EXPECT_EQ(read(7, lds(13)), kFine);
}

TEST_F(WatchRules, a_write_after_a_read_needs_a_barrier_whoever_of_several_read) {
  EXPECT_EQ(read(3, lds(0)), kFine);
  EXPECT_EQ(read(4, lds(0)), kFine);
  EXPECT_EQ(write(3, lds(0)), "race: thread 3 writes LDS byte 0, which thread 4 read with no barrier in between");
  EXPECT_EQ(write(4, lds(0)), "race: thread 4 writes LDS byte 0, which thread 3 read with no barrier in between");
  watch.pass_barrier();
  EXPECT_EQ(write(9, lds(0)), kFine);
}

TEST_F(WatchRules, two_writes_need_a_barrier) {
  EXPECT_EQ(write(3, lds(0), 8), kFine);
  EXPECT_EQ(write(4, lds(8), 8), kFine);
  EXPECT_EQ(write(4, lds(7), 1),
            "race: thread 4 writes LDS byte 7, which thread 3 wrote too, with no barrier in between");
}

TEST_F(WatchRules, a_barrier_orders_nothing_between_blocks) {
  EXPECT_EQ(write(3, y.data() + 12, 4), kFine);
  watch.pass_barrier();
  watch.begin_block(1);
  EXPECT_EQ(read(3, y.data() + 13),
            "race: thread 3 reads byte 1 of row 1 of y, which thread 3 of block 0 wrote in the same launch");
  EXPECT_EQ(write(3, y.data() + 12),
            "race: thread 3 writes byte 0 of row 1 of y, which thread 3 of block 0 wrote too, in the same launch");
}

TEST_F(WatchRules, a_write_of_what_another_block_read_is_found_though_this_block_read_it_since) {
  EXPECT_EQ(read(1, y.data()), kFine);
  watch.begin_block(1);
  EXPECT_EQ(read(2, y.data()), kFine);
  watch.pass_barrier();
  EXPECT_EQ(write(2, y.data()),
            "race: thread 2 writes byte 0 of row 0 of y, which thread 1 of block 0 read in the same launch");
}

TEST_F(WatchRules, launches_are_ordered) {
  EXPECT_EQ(write(3, y.data()), kFine);
  begin_launch();
  EXPECT_EQ(read(4, y.data()), kFine);
  begin_launch();
  EXPECT_EQ(write(5, y.data()), kFine);
}

TEST_F(WatchRules, lds_starts_anew_with_each_block) {
  EXPECT_EQ(write(3, lds(0)), kFine);
  watch.begin_block(1);
  EXPECT_EQ(read(4, lds(0)), kFine);
  watch.begin_block(2);
  EXPECT_EQ(write(5, lds(0)), kFine);
}

TEST_F(WatchRules, nothing_but_rows_may_be_touched) {
  EXPECT_EQ(read(4, y.data() + 6, 2), kFine);
  EXPECT_EQ(read(4, y.data() + 6, 4), "out of bounds: thread 4 reads 4 bytes, the last 2 past the end of row 0 of y");
  EXPECT_EQ(write(4, y.data() + 8), "out of bounds: thread 4 writes 1 byte into the gap after row 0 of y");
  EXPECT_EQ(read(4, y.data() + 23), "out of bounds: thread 4 reads 1 byte from the gap after row 1 of y");
  EXPECT_EQ(read(4, y.data() + 32, 4), "out of bounds: thread 4 reads 4 bytes, 1 past the end of row 2 of y");
  EXPECT_EQ(read(4, y.data() + 35), "out of bounds: thread 4 reads 1 byte, 4 past the end of row 2 of y");
  EXPECT_EQ(write(4, y.data() - 4, 4), "out of bounds: thread 4 writes 4 bytes, 4 before the first of y");
}

TEST_F(WatchRules, rows_without_gaps_are_one_stretch) {
  EXPECT_EQ(read(4, x.data() + 6, 4), kFine);
  EXPECT_EQ(read(4, x.data() + 14, 4), "out of bounds: thread 4 reads 4 bytes, the last 2 past the end of row 1 of x");
}

TEST_F(WatchRules, an_input_may_not_be_written) {
  EXPECT_EQ(write(4, x.data() + 6, 4), "read-only memory: thread 4 writes x, which is an input");
}

TEST_F(WatchRules, lds_ends_where_the_launch_says) {
  EXPECT_EQ(read(4, lds(60), 4), kFine);
  EXPECT_EQ(read(4, lds(64), 4), "out of bounds: thread 4 reads 4 bytes, 1 past the 64 bytes of LDS");
  EXPECT_EQ(write(4, lds(60), 16), "out of bounds: thread 4 writes 16 bytes, the last 12 past the 64 bytes of LDS");
  EXPECT_EQ(read(4, lds(-4), 4), "out of bounds: thread 4 reads 4 bytes, 4 before the first of LDS");
}

TEST_F(WatchRules, what_is_far_from_everything_belongs_to_no_buffer) {
  EXPECT_EQ(read(4, reinterpret_cast<const std::byte*>(0x1234abcd), 4),
            "out of bounds: thread 4 reads 4 bytes at 0x1234abcd, which belongs to no buffer");
  EXPECT_THAT(read(4, nullptr, 4).value(), HasSubstr("at 0x0, which belongs to no buffer"));
}

TEST_F(WatchRules, a_buffer_whose_rows_lie_far_apart_takes_memory_for_its_rows_only) {
  const std::size_t stride = std::size_t{1} << 33;
  const auto* first = reinterpret_cast<const std::byte*>(0x100000);  // never read
  watch.set_buffers(std::vector<WatchedBuffer>{{"z", first, 1000, 4, stride, true}});
  EXPECT_EQ(write(4, first + 999 * stride, 4), kFine);
  EXPECT_EQ(read(5, first + 999 * stride + 3),
            "race: thread 5 reads byte 3 of row 999 of z, which thread 4 wrote with no barrier in between");
  EXPECT_THAT(read(5, first + 998 * stride + 4).value(), HasSubstr("the gap after row 998 of z"));
}

TEST_F(WatchRules, a_single_row_needs_no_stride_and_an_empty_buffer_has_no_bytes) {
  watch.set_buffers(std::vector<WatchedBuffer>{{"z", y.data(), 1, 8, 0, true}, {"w", y.data(), 0, 8, 8, true}});
  EXPECT_EQ(write(4, y.data() + 7), kFine);
  EXPECT_NE(write(4, y.data() + 8), kFine);
}

TEST_F(WatchRules, buffers_that_overlap_are_refused) {
  const std::vector<WatchedBuffer> buffers{{"a", y.data(), 2, 8, 12, true}, {"b", y.data() + 19, 1, 8, 8, false}};
  EXPECT_THROW(watch.set_buffers(buffers), std::invalid_argument);
  EXPECT_THROW(watch.set_buffers(std::vector<WatchedBuffer>{{"a", y.data(), 2, 8, 4, true}}), std::invalid_argument);
}

}  // namespace hiptune::device_tests
