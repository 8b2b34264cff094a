// The compiler of the nvidia backend; needs no GPU.
#include <thread>

#include "device/bench.hpp"
#include "problem/config.hpp"
#include "problem/variant.hpp"

namespace hiptune::device_tests {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

class NvidiaCompiler : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler = open_compiler("nvidia", {});
    } catch (const Error& error) {
      GTEST_SKIP() << "no compiler of the nvidia backend: " << error.what();
    }
    target.architecture = "sm_90";
    target.facts = compiler->facts(target.architecture);
  }

  CompileResult result(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    return compiler->compile(request_for(target, text, entries));
  }
  CodeObject compile(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    CompileResult compiled = result(text, entries);
    if (const auto* failure = std::get_if<CompileFailure>(&compiled)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(compiled));
  }
  std::string failure_log(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    const CompileResult compiled = result(text, entries);
    const auto* failure = std::get_if<CompileFailure>(&compiled);
    return failure == nullptr ? "it compiled" : failure->log;
  }
  void expect_unknown(const std::string& architecture, const std::function<void()>& action) {
    try {
      action();
      ADD_FAILURE() << "it is known";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(compiler->version()), HasSubstr("'" + architecture + "'"),
                                      HasSubstr("sm_90"), HasSubstr("build hiptune with")));
    }
  }

  std::unique_ptr<Compiler> compiler;
  Target target;
};

TEST_F(NvidiaCompiler, says_which_compiler_it_is) {
  EXPECT_THAT(compiler->version(), testing::ContainsRegex("^NVRTC [0-9]+\\.[0-9]+$"));
}

TEST_F(NvidiaCompiler, knows_what_the_documentation_says_of_an_architecture) {
  const TargetFacts hopper = compiler->facts("sm_90");
  EXPECT_EQ(hopper.wave_size, 32);
  EXPECT_EQ(hopper.lds_bytes, 227 * 1024);
  EXPECT_EQ(hopper.max_cluster, 16);
  EXPECT_EQ(hopper.max_block_threads, 1024);
  EXPECT_EQ(hopper.max_grid_x, 2147483647);
  EXPECT_EQ(hopper.max_grid_yz, 65535);
  EXPECT_EQ(hopper.max_threads_per_launch, 0);
  EXPECT_EQ(compiler->facts("sm_90a").lds_bytes, 227 * 1024);
  EXPECT_EQ(compiler->facts("sm_80").lds_bytes, 163 * 1024);
  EXPECT_EQ(compiler->facts("sm_80").max_cluster, 1);
}

TEST_F(NvidiaCompiler, an_architecture_that_it_does_not_know_is_unavailable_and_the_message_says_what_to_do) {
  for (const char* name : {"sm_1", "sm_90z", "sm_", "sm_90 -G"}) {
    expect_unknown(name, [&] { static_cast<void>(compiler->facts(name)); });
    target.architecture = name;
    expect_unknown(name, [&] { static_cast<void>(result(kernel_text("", ""))); });
  }
}

TEST_F(NvidiaCompiler, reports_the_resources_of_each_entry_point) {
  const CodeObject code = compile(kernel_text("float* out", "*out = 1;") + R"(
    __device__ __noinline__ float pick(float* x, int i) {
      float kept[64];
      for (int j = 0; j < 64; ++j) kept[j] = x[j];
      return kept[i];
    }
    extern "C" __global__ void with_lds(float* out, int i) {
      __shared__ float lds[100];
      lds[threadIdx.x] = out[i];
      barrier();
      *out = lds[i];
    }
    extern "C" __global__ void with_stack(float* out, int i) { *out = pick(out, i); })",
                                  {"with_stack", "k", "with_lds"});
  ASSERT_EQ(code.resources.size(), 3U);
  for (const Resources& resources : code.resources) {
    EXPECT_THAT(resources.vgprs, Optional(AllOf(testing::Ge(4), testing::Le(255))));
    EXPECT_EQ(resources.sgprs, std::nullopt);
    EXPECT_THAT(resources.spilled_registers, Optional(0));
  }
  EXPECT_THAT(code.resources[0].scratch_bytes, Optional(256));
  EXPECT_THAT(code.resources[1].scratch_bytes, Optional(0));
  EXPECT_THAT(code.resources[1].lds_bytes, Optional(0));
  EXPECT_THAT(code.resources[2].lds_bytes, Optional(400));
}

TEST_F(NvidiaCompiler, reports_spills) {
  const CodeObject code = compile(R"(
    extern "C" __global__ void __launch_bounds__(1024, 2) k(float* x) {
      float kept[96];
      for (int i = 0; i < 96; ++i) kept[i] = x[threadIdx.x + 1024 * i];
      __syncthreads();
      for (int i = 0; i < 96; ++i) x[threadIdx.x + 1024 * (95 - i)] = kept[i] * kept[(i * 7) % 96];
    })");
  EXPECT_THAT(code.resources.at(0).spilled_registers, Optional(testing::Ge(32)));
  EXPECT_THAT(code.resources.at(0).scratch_bytes, Optional(testing::Ge(128)));
}

TEST_F(NvidiaCompiler, equal_machine_code_has_an_equal_hash_and_other_code_or_constants_do_not) {
  const std::string source = kernel_text("float* out", "*out = *out * 3.5f;");
  const std::string hash = compile(source).isa_hash;
  EXPECT_THAT(hash, testing::MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(hash, compile(source).isa_hash);
  EXPECT_EQ(hash, compile("// a comment\n" + source).isa_hash);
  EXPECT_EQ(hash, compile("constexpr int UNUSED = 77;\n" + source).isa_hash);
  EXPECT_NE(hash, compile(kernel_text("float* out", "*out = *out + 3.5f;")).isa_hash);
  EXPECT_NE(hash, compile(kernel_text("float* out", "*out = *out * 3.25f;")).isa_hash);
  target.architecture = "sm_80";
  EXPECT_NE(hash, compile(source).isa_hash);
}

TEST_F(NvidiaCompiler, values_of_tables_count_for_the_hash_and_numbers_that_the_code_does_not_use_do_not) {
  const auto hash = [this](const std::string& declaration, const std::string& use) {
    return compile(declaration + kernel_text("float* out, int i", "*out = " + use + ";")).isa_hash;
  };
  for (const std::string kind : {"constexpr", "__constant__", "__device__"}) {
    const std::string table = kind + " float table[4] = {1, 2, 3, ";
    EXPECT_EQ(hash(table + "4};\n", "table[i]"), hash(table + "4};\n", "table[i]")) << kind;
    EXPECT_NE(hash(table + "4};\n", "table[i]"), hash(table + "5};\n", "table[i]")) << kind;
  }
  EXPECT_EQ(hash("constexpr int n = 4;\n", "1"), hash("constexpr int n = 5;\n", "1"));
}

TEST_F(NvidiaCompiler, a_compile_failure_keeps_the_sources_name_and_lines) {
  const std::string log = failure_log(kernel_text("int* out", "*out = 1;\n*out = misspelt;"));
  EXPECT_THAT(log, HasSubstr("kernel.hip(" + std::to_string(kLinesBeforeBody + 2) + "): error:"));
  EXPECT_THAT(log, AllOf(HasSubstr("misspelt"), Not(HasSubstr("default_program"))));
  EXPECT_THAT(failure_log("#error \"on purpose\"\n"), AllOf(HasSubstr("kernel.hip(1)"), HasSubstr("on purpose")));
}

TEST_F(NvidiaCompiler, an_error_in_a_header_names_the_header) {
  CompileRequest request = request_for(target, kernel_text("", ""), {"k"});
  request.headers[0].text += "#error wrong header\n";
  EXPECT_THAT(std::get<CompileFailure>(compiler->compile(request)).log, HasSubstr("hiptune_config.h(3)"));
}

TEST_F(NvidiaCompiler, headers_come_from_memory_only) {
  EXPECT_THAT(failure_log("#include \"hiptune_devise.h\"\n"),
              AllOf(HasSubstr("kernel.hip(1)"), HasSubstr("hiptune_devise.h")));
  const std::filesystem::path file = std::filesystem::current_path() / "hiptune_on_disk.h";
  std::ofstream(file) << "// found\n";
  EXPECT_THAT(failure_log("#include \"hiptune_on_disk.h\"\n" + kernel_text("", "")), HasSubstr("hiptune_on_disk.h"));
  std::filesystem::remove(file);
}

TEST_F(NvidiaCompiler, what_is_called_or_launched_and_is_nowhere_is_a_compile_failure_that_names_it) {
  EXPECT_THAT(failure_log(kernel_text("", ""), {"k", "absent"}), HasSubstr("'absent'"));
  EXPECT_THAT(failure_log("__global__ void k() {}\n"), HasSubstr("extern \"C\""));  // its name is mangled
  EXPECT_THAT(failure_log("__device__ int nowhere(int);\n" + kernel_text("int* out", "*out = nowhere(*out);")),
              HasSubstr("nowhere"));
}

TEST_F(NvidiaCompiler, more_static_lds_than_there_is_is_a_compile_failure_that_says_so) {
  EXPECT_THAT(failure_log(kernel_text("int* out", R"(
    __shared__ int lds[60000];
    lds[threadIdx.x] = 1;
    barrier();
    *out = lds[*out];)")),
              AllOf(HasSubstr("'k' uses too much shared data"), Not(HasSubstr("ptxas info"))));
}

TEST_F(NvidiaCompiler, hip_sources_compile_with_hips_own_header) {
  EXPECT_EQ(failure_log(R"(#include <hip/hip_runtime.h>
    extern "C" __global__ void k(float* out, uint32_t n) {
      HIP_DYNAMIC_SHARED(float, lds)
      const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
      lds[threadIdx.x] = i < n ? out[i] : 0.0f;
      __syncthreads();
      float sum = lds[threadIdx.x];
      for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down(sum, delta);
      if (i < n) out[i] = __shfl(sum, 0) + __shfl_xor(sum, 1) + __shfl_up(sum, 1) + rsqrtf(sum);
    })"),
            "it compiled");
}

TEST_F(NvidiaCompiler, everything_that_the_device_layer_offers_compiles) {
  EXPECT_EQ(failure_log(R"(#include "hiptune_config.h"
    #include "hiptune_device.h"
    using namespace hiptune;
    template <class T>
    __device__ T all_of(T x, T* lds) {
      T y = shuffle(x, 1) + shuffle_down(x, 1) + shuffle_xor(x, 1) + wave_sum(x) + block_sum(x, lds);
      y += hiptune::sqrt(x) + hiptune::rsqrt(x) + hiptune::exp(x) + hiptune::log(x) + hiptune::tanh(x);
      y += hiptune::pow(x, y) + hiptune::fma(x, y, x) + hiptune::abs(x) + hiptune::min(x, y) + hiptune::max(x, y);
      barrier();
      return y + from_float<T>(to_float(x)) + lane() + wave() + wave_width() + hiptune::abs(lane());
    }
    extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(256) k(float* x, double* y, int64* n) {
      store_vector(x, load_vector<4>(x + 4));
      store_vector(y, load_vector<2>(y + 2));
      *x = all_of(*x, dynamic_lds<float>());
      *y = all_of(*y, dynamic_lds<double>());
      *n = block_sum(*n, dynamic_lds<int64>()) + hiptune::abs(*n);
    }
    extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS_BLOCKS(256, 8) l() {})",
                        {"k", "l"}),
            "it compiled");
}

TEST_F(NvidiaCompiler, every_variant_of_the_small_shipped_kernels_compiles_and_spills_nothing) {
  const KernelPath kernels({}, {});
  for (const std::string name : {"copy", "row_norm2"}) {  // of rmsnorm shipped_rmsnorm_test.cpp compiles a part
    const Kernel kernel = kernels.load(name);
    const std::vector<std::int64_t> sizes(kernel.space.dimensions.size(), 64);
    const Problem problem = make_problem(kernel.space, sizes, Dtype::f32, {});
    for (const Config& config : all_configs(kernel.space, {})) {
      if (why_invalid(kernel.space, problem, target.facts, config)) continue;
      SCOPED_TRACE(name + " " + to_string(config));
      const Variant variant = make_variant(kernel, problem, target.facts, config);
      const CompileResult compiled =
          compiler->compile({variant.source, variant.headers, variant.entry_points, target.architecture});
      ASSERT_TRUE(std::holds_alternative<CodeObject>(compiled)) << std::get<CompileFailure>(compiled).log;
      for (const Resources& resources : std::get<CodeObject>(compiled).resources) {
        EXPECT_THAT(resources.vgprs, Optional(testing::Gt(0)));
        EXPECT_THAT(resources.spilled_registers, Optional(0));
      }
    }
  }
}

TEST_F(NvidiaCompiler, one_object_serves_several_threads) {
  const std::string source = kernel_text("int* out", "*out = 1;");
  std::vector<std::string> hashes(4);
  std::vector<std::thread> threads;
  for (std::string& hash : hashes) threads.emplace_back([&] { hash = compile(source).isa_hash; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(hashes, Each(compile(source).isa_hash));
}

}  // namespace hiptune::device_tests
