// The device layer's wave operations, vectors and arithmetic, as every backend must run them.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "device/bench.hpp"

namespace hiptune::device_tests {

class Waves : public OnEveryDevice {
 protected:
  // What `k(T* out)` leaves per thread of one block.
  template <class T>
  std::vector<T> run(const std::string& type, const std::string& body, int block) {
    const auto module = bench.load_body(type + "* out", body);
    const DeviceMemory out = bench.upload(std::vector<T>(static_cast<std::size_t>(block), T(-77)));
    bench.launch(*module, geometry(1, block, 4096), pointer<T>(out));
    return bench.download<T>(out);
  }
  // source(lane) per thread, where the lane exists and the wave has it, else the thread's own.
  template <class Source>
  std::vector<int> expected(int block, const Source& source) {
    std::vector<int> values;
    for (int t = 0; t < block; ++t) {
      const int lane = source(t % wave_size());
      values.push_back(lane < wave_size() ? t / wave_size() * wave_size() + lane : t);
    }
    return values;
  }
  int wave_size() const { return bench.facts().wave_size; }
};
INSTANTIATE_TEST_SUITE_P(Devices, Waves, testing::ValuesIn(present_devices()), name_of_device);

TEST_P(Waves, shuffle_down_reads_the_lane_above_and_keeps_its_own_at_the_end) {
  EXPECT_EQ(run<int>("int", "out[threadIdx.x] = shuffle_down(int(threadIdx.x), 3);", 256),
            expected(256, [](int lane) { return lane + 3; }));
}

TEST_P(Waves, shuffle_xor_reads_the_partner) {
  EXPECT_EQ(run<int>("int", "out[threadIdx.x] = shuffle_xor(int(threadIdx.x), 5);", 256),
            expected(256, [](int lane) { return lane ^ 5; }));
}

TEST_P(Waves, shuffle_reads_any_lane_modulo_the_wave) {
  EXPECT_EQ(run<int>("int", "out[threadIdx.x] = shuffle(int(threadIdx.x), lane() * 7 + 2 * WAVE_SIZE + 1);", 256),
            expected(256, [this](int lane) { return (lane * 7 + 1) % wave_size(); }));
}

TEST_P(Waves, shuffles_move_values_of_eight_bytes) {
  const std::vector<double> doubles = run<double>("double", "out[threadIdx.x] = shuffle(0.1 + threadIdx.x, 9);", 64);
  const std::vector<std::int64_t> integers =
      run<std::int64_t>("int64", "out[threadIdx.x] = shuffle((int64(1) << 40) + threadIdx.x, 9);", 64);
  for (int t = 0; t < 64; ++t) {
    const int source = t / wave_size() * wave_size() + 9;
    EXPECT_EQ(doubles[static_cast<std::size_t>(t)], 0.1 + source);
    EXPECT_EQ(integers[static_cast<std::size_t>(t)], (std::int64_t{1} << 40) + source);
  }
}

TEST_P(Waves, a_tree_of_shuffles_sums_a_wave) {
  const std::vector<int> sums = run<int>("int", R"(
    int sum = threadIdx.x;
    for (int offset = wave_width() / 2; offset > 0; offset /= 2) sum += shuffle_down(sum, offset);
    out[threadIdx.x] = shuffle(sum, 0);)",
                                         256);
  for (int t = 0; t < 256; ++t) {
    const int first = t / wave_size() * wave_size();
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], first * wave_size() + wave_size() * (wave_size() - 1) / 2);
  }
}

TEST_P(Waves, waves_may_shuffle_a_different_number_of_times) {
  const std::vector<int> counts = run<int>("int", R"(
    int count = 0;
    for (int i = 0; i <= wave(); ++i) count += shuffle(1, i);
    barrier();
    out[threadIdx.x] = count;)",
                                           1024);
  for (int t = 0; t < 1024; ++t) EXPECT_EQ(counts[static_cast<std::size_t>(t)], t / wave_size() + 1);
}

TEST_P(Waves, lanes_that_returned_are_not_waited_for) {
  const std::vector<int> values = run<int>("int", R"(
    if (lane() % 2 == 1) return;
    out[threadIdx.x] = shuffle_down(int(threadIdx.x), 2);)",
                                           64);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], -77);
  EXPECT_EQ(values[4], 6);
}

TEST_P(Waves, wave_sum_gives_every_lane_the_butterflys_bits) {
  const std::string terms = "(1.0f + 0.37f * threadIdx.x * threadIdx.x)";
  const auto wave_sums = run<float>("float", "out[threadIdx.x] = wave_sum" + terms + ";", 256);
  const auto butterfly = run<float>("float", "float sum = " + terms + R"(;
    for (int mask = 8; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    for (int mask = 16; mask < WAVE_SIZE; mask *= 2) sum += shuffle_xor(sum, mask);
    out[threadIdx.x] = sum;)",
                                    256);
  EXPECT_EQ(wave_sums, butterfly);
  EXPECT_GT(wave_sums[0], static_cast<float>(wave_size()));
}

// Of the lanes that are there, in the same order.
TEST_P(Waves, wave_sum_of_a_partial_wave_has_the_bits_of_one_padded_with_zeros) {
  const std::string terms = "(1.0f + 0.37f * threadIdx.x * threadIdx.x)";
  for (const int lanes : {3, 16, 19, wave_size() - 16, wave_size() - 1}) {
    const auto partial = run<float>("float", "out[threadIdx.x] = wave_sum" + terms + ";", lanes);
    const auto padded = run<float>(
        "float", "out[threadIdx.x] = wave_sum(threadIdx.x < " + std::to_string(lanes) + " ? " + terms + " : 0.0f);",
        wave_size());
    EXPECT_THAT(partial, testing::Each(padded.front())) << lanes;
  }
}

TEST_P(Waves, wave_sum_knows_doubles_and_integers) {
  const auto doubles = run<double>("double", "out[threadIdx.x] = wave_sum(0.5 + lane());", 128);
  const auto integers = run<std::int64_t>("int64", "out[threadIdx.x] = wave_sum(int64(lane()) << 40);", 128);
  const int lanes = wave_size() * (wave_size() - 1) / 2;
  EXPECT_THAT(doubles, testing::Each(0.5 * wave_size() + lanes));
  EXPECT_THAT(integers, testing::Each(std::int64_t{lanes} << 40));
}

TEST_P(Waves, a_block_smaller_than_a_wave_is_a_wave_of_its_own_width) {
  for (const int block : {1, 2, 7, 16, 24}) {
    const auto widths = run<int>("int", "out[threadIdx.x] = wave_width();", block);
    const auto sums = run<int>("int", "out[threadIdx.x] = wave_sum(int(threadIdx.x) + 1);", block);
    EXPECT_THAT(widths, testing::Each(block));
    EXPECT_THAT(sums, testing::Each(block * (block + 1) / 2));
  }
}

TEST_P(Waves, the_last_wave_of_a_block_may_be_partial) {
  for (const int rest : {5, 16, 31}) {
    const auto sums = run<int>("int", "out[threadIdx.x] = wave_sum(1);", 2 * wave_size() + rest);
    EXPECT_EQ(sums.front(), wave_size());
    EXPECT_EQ(sums.back(), rest);
  }
}

TEST_P(Waves, block_sum_adds_all_threads_again_and_again) {
  for (const int block : {1, 32, 100, 1024}) {
    const auto sums = run<int>("int", R"(
      int sum = 0;
      for (int i = 0; i < 3; ++i) sum += block_sum(int(threadIdx.x) + i, dynamic_lds<int>());
      out[threadIdx.x] = sum;)",
                               block);
    EXPECT_THAT(sums, testing::Each(3 * (block * (block - 1) / 2 + block)));
  }
}

TEST_P(Waves, vectors_load_and_store_every_element) {
  const auto module = bench.load_body("const float* in, float* out, const double* in64, double* out64", R"(
    const int t = threadIdx.x;
    vector<float, 4> v = load_vector<4>(in + 4 * t);
    for (int i = 0; i < 4; ++i) v[i] *= 2;
    store_vector(out + 4 * t, v);
    store_vector(out64 + 2 * t, load_vector<2>(in64 + 2 * t));
    static_assert(sizeof(vector<float, 4>) == 16 && alignof(vector<float, 4>) == 16);)");
  std::vector<float> floats(256);
  std::vector<double> doubles(128);
  std::iota(floats.begin(), floats.end(), 1.0F);
  std::iota(doubles.begin(), doubles.end(), 1.0);
  const DeviceMemory in = bench.upload(floats);
  const DeviceMemory in64 = bench.upload(doubles);
  const DeviceMemory out(bench.device(), in.bytes());
  const DeviceMemory out64(bench.device(), in64.bytes());
  bench.launch(*module, geometry(1, 64), pointer<float>(in), pointer<float>(out), pointer<double>(in64),
               pointer<double>(out64));
  for (float& value : floats) value *= 2;
  EXPECT_EQ(bench.download<float>(out), floats);
  EXPECT_EQ(bench.download<double>(out64), doubles);
}

TEST_P(Waves, arithmetic_agrees_with_the_standard_library) {
  const auto module = bench.load_body("double* out, float x, double y", R"(
    out[0] = hiptune::sqrt(x); out[1] = hiptune::sqrt(y); out[2] = hiptune::abs(-x); out[3] = hiptune::abs(-y);
    out[4] = hiptune::min(x, 1.0f); out[5] = hiptune::max(3, 4); out[6] = to_float(y); out[7] = from_float<double>(x);
    out[8] = hiptune::rsqrt(x); out[9] = hiptune::exp(x); out[10] = hiptune::log(y); out[11] = hiptune::tanh(y);
    out[12] = hiptune::pow(y, 3.0); out[13] = hiptune::fma(y, y, -1.0);)");
  const DeviceMemory out = bench.upload(std::vector<double>(14, -1));
  const float x = 7.3F;
  const double y = 1.1;
  bench.launch(*module, geometry(1, 1), pointer<double>(out), x, y);
  const std::vector<double> got = bench.download<double>(out);
  EXPECT_EQ(std::vector<double>(got.begin(), got.begin() + 8),
            (std::vector<double>{std::sqrt(x), std::sqrt(y), x, y, 1, 4, static_cast<float>(y), x}));
  EXPECT_NEAR(got[8], 1 / std::sqrt(x), 1e-6);
  EXPECT_NEAR(got[9], std::exp(x), 1e-3);
  EXPECT_NEAR(got[10], std::log(y), 1e-15);
  EXPECT_NEAR(got[11], std::tanh(y), 1e-15);
  EXPECT_NEAR(got[12], y * y * y, 1e-15);
  EXPECT_NEAR(got[13], y * y - 1, 1e-15);
}

}  // namespace hiptune::device_tests
