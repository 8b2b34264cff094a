// What a watched CPU says of kernels that touch memory they must not, and that race.
#include <cmath>

#include "device/bench.hpp"
#include "device/host/backend.hpp"
#include "device/host/compiler.hpp"

namespace hiptune::device_tests {

using host::HostSettings;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

struct Setup {
  int wave_size;
  std::string compiler;

  friend std::ostream& operator<<(std::ostream& out, const Setup& setup) {
    return out << setup.compiler << ", wave size " << setup.wave_size;
  }
};

bool has_program(const std::string& name) { return std::system(("which " + name + " > /dev/null 2>&1").c_str()) == 0; }

// Rows of four floats, six apart.
constexpr std::int64_t kRows = 3;
constexpr std::size_t kCols = 4;
constexpr std::size_t kStride = 6;

}  // namespace

class Watched : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    if (!has_program(GetParam().compiler)) GTEST_SKIP() << "there is no " << GetParam().compiler;
    watch();
  }

  static std::unique_ptr<Device> watched_device() {
    return host::open_with(HostSettings{.facts = host::facts_of(GetParam().wave_size), .watched = true});
  }
  void watch() {
    const std::size_t row = kCols * sizeof(float);
    const std::size_t stride = kStride * sizeof(float);
    bench.device().watch(std::vector<WatchedBuffer>{{"x", x.data(), kRows, row, stride, false},
                                                    {"y", y.data(), kRows, row, stride, true}});
  }
  void run(const std::string& body, const Geometry& with) {
    const auto module = bench.load_body("const float* x, float* y", body);
    bench.launch(*module, with, pointer<float>(x), pointer<float>(y));
  }
  // Of a kernel with x and y.
  std::string fault(const std::string& body, const Geometry& with = geometry(1, 64, 1024)) {
    const std::string message = message_of<KernelFault>([&] { run(body, with); });
    expect_usable();
    return message;
  }
  void expect_usable() {
    if (!sound_)
      sound_ = bench.load_body("const float* x, float* y", R"(
        dynamic_lds<int>()[threadIdx.x] = wave_sum(1);
        barrier();
        if (threadIdx.x < 4) y[threadIdx.x] = dynamic_lds<int>()[63 - threadIdx.x] * x[threadIdx.x];)");
    bench.launch(*sound_, geometry(1, 64, 256), pointer<float>(x), pointer<float>(y));
    EXPECT_EQ(bench.download<float>(y)[2], 7.0F * static_cast<float>(bench.facts().wave_size));
  }
  static std::string line(int of_body) { return "kernel.hip:" + std::to_string(kLinesBeforeBody + of_body); }

  Bench bench{watched_device(), {.cxx_compiler = GetParam().compiler}};
  DeviceMemory x = bench.upload(std::vector<float>(kRows * kStride, 7));
  DeviceMemory y = bench.upload(std::vector<float>(kRows * kStride, 0));

 private:
  std::unique_ptr<Module> sound_;
};
INSTANTIATE_TEST_SUITE_P(Setups, Watched, testing::Values(Setup{32, "g++"}, Setup{64, "g++"}, Setup{32, "clang++"}),
                         [](const auto& setup) {
                           const std::string compiler = setup.param.compiler == "g++" ? "gcc" : "clang";
                           return compiler + "_wave" + std::to_string(setup.param.wave_size);
                         });

TEST_P(Watched, a_read_of_lds_that_another_thread_wrote) {
  EXPECT_EQ(fault("int* lds = dynamic_lds<int>();\n"
                  "lds[threadIdx.x] = 1;\n"
                  "if (threadIdx.x == 7)\n"
                  "  y[0] = lds[3];"),
            "race: thread 7 reads LDS byte 12, which thread 3 wrote with no barrier in between (" + line(4) + " and " +
                line(2) + "; k, block 0)");
}

TEST_P(Watched, a_write_of_lds_that_another_thread_read) {
  EXPECT_THAT(fault("int* lds = dynamic_lds<int>();\n"
                    "if (threadIdx.x == 2) y[0] = lds[5];\n"
                    "lds[threadIdx.x] = 1;"),
              AllOf(StartsWith("race: thread 5 writes LDS byte 20, which thread 2 read with no barrier"),
                    HasSubstr("(" + line(3) + " and " + line(2) + ";")));
}

TEST_P(Watched, two_threads_that_write_the_same_value) {
  EXPECT_THAT(
      fault("if (threadIdx.x == 9 || threadIdx.x == 40)\n  y[1] = 1;"),
      AllOf(StartsWith("race: thread 40 writes byte 4 of row 0 of y, which thread 9 wrote too, with no barrier"),
            HasSubstr("(" + line(2) + "; k")));
}

TEST_P(Watched, a_shuffle_orders_no_memory) {
  EXPECT_THAT(fault("int* lds = dynamic_lds<int>();\n"
                    "if (threadIdx.x == 0) lds[0] = 5;\n"
                    "wave_sum(1);\n"
                    "if (threadIdx.x == 1) y[0] = lds[0];"),
              HasSubstr("race: thread 1 reads LDS byte 0, which thread 0 wrote"));
}

TEST_P(Watched, a_barrier_orders_memory) {
  run("int* lds = dynamic_lds<int>();\n"
      "for (int i = 0; i < 3; ++i) {\n"
      "  lds[threadIdx.x] = i;\n  barrier();\n"
      "  if (lds[63 - threadIdx.x] == 77) y[0] = 1;\n  barrier();\n}",
      geometry(5, 64, 256));
}

TEST_P(Watched, blocks_that_write_what_others_read) {
  EXPECT_THAT(fault("if (threadIdx.x == 5) y[blockIdx.x] = y[2];", geometry(4, 64)),
              AllOf(HasSubstr("race: thread 5 writes byte 8 of row 0 of y, which thread 5 of block 0 read in the same "
                              "launch"),
                    HasSubstr("block 2)")));
  EXPECT_THAT(fault("if (threadIdx.x == 5 && blockIdx.x == 1) y[0] = 1;\n"
                    "if (threadIdx.x == 6 && blockIdx.x == 3)\n  y[1] = y[0];",
                    geometry(4, 64)),
              AllOf(HasSubstr("thread 6 reads byte 0 of row 0 of y, which thread 5 of block 1 wrote"),
                    HasSubstr("(" + line(3) + " and " + line(1))));
}

TEST_P(Watched, two_launches_may_touch_the_same) {
  for (int i = 0; i < 2; ++i)
    run("if (blockIdx.x == 0 && threadIdx.x < 4) y[threadIdx.x] = y[threadIdx.x] + 1;", geometry(2, 64));
  EXPECT_NO_THROW(run("if (threadIdx.x < 4) y[3 - threadIdx.x] = 2;", geometry(1, 64)));
}

TEST_P(Watched, a_read_beyond_the_end) {
  EXPECT_EQ(fault("if (threadIdx.x == 4)\n  y[0] = x[16];"),
            "out of bounds: thread 4 reads 4 bytes, 1 past the end of row 2 of x (" + line(2) + "; k, block 0)");
}

TEST_P(Watched, an_access_of_a_gap) {
  EXPECT_THAT(fault("if (threadIdx.x == 0) y[5] = 1;"),
              HasSubstr("out of bounds: thread 0 writes 4 bytes into the gap after row 0 of y"));
  EXPECT_THAT(fault("if (threadIdx.x == 0) y[0] = x[10];"), HasSubstr("reads 4 bytes from the gap after row 1 of x"));
}

TEST_P(Watched, an_access_before_the_first_byte) {
  EXPECT_THAT(fault("if (threadIdx.x == 0) y[-2] = 1;"), HasSubstr("writes 4 bytes, 8 before the first of y"));
}

TEST_P(Watched, a_write_of_an_input) {
  EXPECT_EQ(fault("if (threadIdx.x == 3)\n  const_cast<float*>(x)[1] = 7;"),
            "read-only memory: thread 3 writes x, which is an input (" + line(2) + "; k, block 0)");
}

TEST_P(Watched, lds_that_the_launch_does_not_declare) {
  EXPECT_EQ(fault("if (threadIdx.x == 63)\n  y[0] = dynamic_lds<int>()[threadIdx.x];", geometry(1, 64, 252)),
            "out of bounds: thread 63 reads 4 bytes, 1 past the 252 bytes of LDS (" + line(2) + "; k, block 0)");
  EXPECT_THAT(fault("y[0] = dynamic_lds<float>()[-1];"), HasSubstr("reads 4 bytes, 4 before the first of LDS"));
}

TEST_P(Watched, memory_of_nobody) {
  EXPECT_THAT(fault("y[0] = *(const float*)0x10;"), HasSubstr("reads 4 bytes at 0x10, which belongs to no buffer"));
  EXPECT_THAT(fault("x[1 << 28] == 1 ? y[0] = 1 : y[0] = 2;"), HasSubstr("which belongs to no buffer"));
}

TEST_P(Watched, the_stack_of_another_thread) {
  EXPECT_THAT(fault("volatile int mine = 3;\n"
                    "const auto address = shuffle((unsigned long long)&mine, 0);\n"
                    "if (threadIdx.x == 5) y[0] = *(volatile int*)address;"),
              HasSubstr("thread 5 reads 4 bytes at 0x"));
}

TEST_P(Watched, vectors_at_addresses_that_are_no_multiple_of_their_size) {
  EXPECT_THAT(fault("y[0] = load_vector<2>(x + 1)[0];", geometry(1, 1)),
              AllOf(StartsWith("misaligned: thread 0 reads 8 bytes of x at an address that is no multiple of 8"),
                    HasSubstr("(" + line(1) + ";")));
  EXPECT_THAT(fault("vector<float, 4> v{};\nstore_vector(y + 6, v);", geometry(1, 1)),
              AllOf(StartsWith("misaligned: thread 0 writes 16 bytes of y at an address that is no multiple of 16"),
                    HasSubstr("(" + line(2) + ";")));
}

TEST_P(Watched, vectors_of_every_width_as_a_whole) {
  for (const int width : {4, 8, 16}) {
    const std::string n = std::to_string(width);
    EXPECT_THAT(fault("const auto v = load_vector<" + n + ">(x + 1);\n\ny[0] = v[0];", geometry(1, 1)),
                AllOf(HasSubstr("the last " + std::to_string(4 * (width - 3)) + " past the end of row 0 of x"),
                      HasSubstr("(" + line(1) + ";")));
    EXPECT_THAT(fault("vector<float, " + n + "> v{};\nv[0] = x[0];\nstore_vector(y + 13, v);", geometry(1, 1)),
                AllOf(HasSubstr("writes " + std::to_string(4 * width) + " bytes, the last"),
                      HasSubstr("past the end of row 2 of y (" + line(3) + ";")));
  }
}

TEST_P(Watched, copies_and_fills_of_many_bytes) {
  const std::string row = "struct Row { float v[40]; };\n";
  EXPECT_THAT(fault(row + "*(Row*)y = *(const Row*)x;", geometry(1, 1)),
              AllOf(ContainsRegex("(reads|writes) 160 bytes, the last 144 past the end of row 0 of [xy] "),
                    HasSubstr("(" + line(2) + ";")));
  EXPECT_THAT(fault("for (int i = 0; i < 100; ++i)\n  y[i] = 0;", geometry(1, 1)),
              AllOf(HasSubstr("into the gap after row 0 of y"), HasSubstr("(" + line(2) + ";")));
}

TEST_P(Watched, what_a_thread_has_of_its_own_may_be_touched) {
  run("static const int table[] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
      "float local[32];\n"
      "for (int i = 0; i < 32; ++i) local[i] = table[(i + threadIdx.x) % 8];\n"
      "for (int i = 0; i < 32; ++i) local[(i * 7) % 32] += local[i] + block_sum(1.0f, dynamic_lds<float>());\n"
      "if (threadIdx.x < 4) y[threadIdx.x] = local[threadIdx.x] + shuffle(1, 3) * blockDim.x + gridDim.x;",
      geometry(1, 64, 64));
}

TEST_P(Watched, a_line_of_the_device_layer_is_that_of_its_caller) {
  EXPECT_THAT(fault("float* lds = dynamic_lds<float>();\n"
                    "float sum = block_sum(1.0f, lds);\n"
                    "sum += block_sum(sum, lds + 256);\n"
                    "if (threadIdx.x == 0) y[0] = sum;"),
              ContainsRegex("past the 1024 bytes of LDS \\((kernel.hip:7|hiptune_device.h:[0-9]+); k, block 0\\)"));
}

TEST_P(Watched, every_schedule_finds_a_race) {
  using Order = Schedule::Order;
  for (const Order order : {Order::forward, Order::backward, Order::shuffled}) {
    bench.device().set_schedule({order, 11});
    EXPECT_THAT(fault("dynamic_lds<int>()[threadIdx.x] = 1;\n"
                      "if (threadIdx.x < 32) dynamic_lds<int>()[threadIdx.x] += dynamic_lds<int>()[threadIdx.x + 32];"),
                StartsWith("race: "));
  }
}

TEST_P(Watched, divergence_still_shows) {
  EXPECT_THAT(fault("if (threadIdx.x == 5) return;\nbarrier();"), HasSubstr("divergent barrier: thread 0"));
}

TEST_P(Watched, without_addr2line_there_are_offsets) {
  const auto module = bench.load_body("float* y", "y[100] = 1;");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::string message =
      message_of<KernelFault>([&] { bench.launch(*module, geometry(1, 1), pointer<float>(y)); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(message, ContainsRegex("\\(offset 0x[0-9a-f]+ of the module; k, block 0\\)"));
}

TEST_P(Watched, many_faults_leave_the_device_as_it_was) {
  const auto module = bench.load_body("", "if (threadIdx.x != 500) barrier();\n*(volatile int*)8 = 1;");
  for (int i = 0; i < 20; ++i) ASSERT_THROW(bench.launch(*module, geometry(4, 1024)), KernelFault);
  expect_usable();
}

TEST_P(Watched, nothing_may_be_touched_before_anything_is_watched) {
  bench.device().watch({});
  EXPECT_THROW(run("y[0] = 1;", geometry(1, 1)), KernelFault);
  watch();
  expect_usable();
}

TEST_P(Watched, a_compilation_repeats_bit_for_bit) {
  const std::string text = kernel_text("float* y", "y[threadIdx.x] = 1;");
  EXPECT_EQ(bench.compile(text).bytes, bench.compile(text).bytes);
}

TEST(WatchedDevice, a_module_that_is_not_watched_is_refused_and_the_reverse) {
  Bench plain("host");
  Bench watched(host::open_with(HostSettings{.watched = true}));
  const std::string text = kernel_text("int* out", "*out = 1;");
  EXPECT_EQ(watched.device().target().architecture, host::architecture(32, true));
  EXPECT_EQ(watched.compiler().facts(host::architecture(64, true)).wave_size, 64);
  const CodeObject for_plain = plain.compile(text);
  const CodeObject for_watched = watched.compile(text);
  EXPECT_THAT(message_of<Error>([&] { static_cast<void>(watched.device().load(for_plain)); }),
              AllOf(HasSubstr("watched"), HasSubstr("compile it")));
  EXPECT_THAT(message_of<Error>([&] { static_cast<void>(plain.device().load(for_watched)); }), HasSubstr("watched"));
}

TEST(WatchedDevice, has_the_facts_that_it_is_given) {
  TargetFacts facts = host::facts_of(64);
  facts.lds_bytes = 232448;
  facts.compute_units = 132;
  facts.max_cluster = 16;
  Bench bench(host::open_with(HostSettings{.facts = facts, .watched = true}));
  EXPECT_EQ(bench.facts().compute_units, 132);
  const auto module = bench.load_body("int at", "dynamic_lds<char>()[at] = 1;");
  bench.launch(*module, geometry(1, 1, 232448), 232447);
  EXPECT_THROW(bench.launch(*module, geometry(1, 1, 232448), 232448), KernelFault);
  Geometry clustered = geometry(4, 1, 64);
  clustered.cluster = 2;
  EXPECT_THAT(message_of<LaunchFailure>([&] { bench.launch(*module, clustered, 0); }), HasSubstr("no clusters"));
}

TEST(WatchedDevice, facts_that_the_cpu_cannot_have_are_refused) {
  TargetFacts facts;
  facts.wave_size = 16;
  EXPECT_THROW(static_cast<void>(host::open_with(HostSettings{.facts = facts})), std::invalid_argument);
  facts = TargetFacts{.max_block_threads = 2048};
  EXPECT_THROW(static_cast<void>(host::open_with(HostSettings{.facts = facts})), std::invalid_argument);
}

}  // namespace hiptune::device_tests
