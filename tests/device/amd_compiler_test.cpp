// hipRTC for several architectures; needs no GPU.
#include <sys/wait.h>

#include <algorithm>
#include <thread>

#include "device/bench.hpp"
#include "problem/enumeration.hpp"
#include "problem/variant.hpp"
#include "search/covering.hpp"

namespace hiptune::device_tests {

using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

class AmdCompiler : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler = open_compiler("amd", {});
    } catch (const Error& error) {
      GTEST_SKIP() << "no hipRTC: " << error.what();
    }
  }

  Target target(const std::string& architecture) {
    Target result;
    result.architecture = architecture;
    result.facts = compiler->facts(architecture);
    return result;
  }
  CompileResult result_of(const std::string& architecture, const std::string& text,
                          const std::vector<std::string>& entries = {"k"}) {
    return compiler->compile(request_for(target(architecture), text, entries));
  }
  CodeObject compile(const std::string& architecture, const std::string& text,
                     const std::vector<std::string>& entries = {"k"}) {
    CompileResult result = result_of(architecture, text, entries);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(result));
  }
  std::string log_of(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    const CompileResult result = result_of("gfx90a", text, entries);
    const auto* failure = std::get_if<CompileFailure>(&result);
    return failure != nullptr ? failure->log : "it compiled";
  }
  void expect_unavailable(const std::string& architecture) {
    const std::vector<std::function<void()>> actions = {
        [&] { static_cast<void>(compiler->facts(architecture)); },
        [&] {
          static_cast<void>(compiler->compile({{"k.hip", ""}, {}, {}, architecture}));
        }};
    for (const auto& action : actions) {
      try {
        action();
        ADD_FAILURE() << architecture << " is known";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr(compiler->version()), HasSubstr("'" + architecture + "'"),
                          HasSubstr("misspelt (names are as gfx90a or gfx90a:xnack-) or needs a newer ROCm")));
      }
    }
  }

  std::unique_ptr<Compiler> compiler;
};

struct Architecture {
  const char* name;
  int wave_size;
};
constexpr Architecture kArchitectures[] = {{"gfx906", 64}, {"gfx90a", 64}, {"gfx1030", 32}};

TEST_F(AmdCompiler, says_which_hiprtc_it_is) {
  EXPECT_THAT(compiler->version(), testing::MatchesRegex("hipRTC [0-9]+\\.[0-9]+ \\(lib[a-z0-9]+\\.so\\.[0-9.]+.*\\)"));
}

TEST_F(AmdCompiler, knows_the_wave_size_and_the_limits_of_an_architecture_without_a_device) {
  for (const Architecture& each : kArchitectures) {
    const TargetFacts facts = compiler->facts(each.name);
    EXPECT_EQ(facts.wave_size, each.wave_size) << each.name;
    EXPECT_EQ(facts.lds_bytes, 65536);
    EXPECT_EQ(facts.max_block_threads, 1024);
    EXPECT_GT(facts.compute_units, 1);
  }
}

TEST_F(AmdCompiler, takes_a_full_target_id) {
  EXPECT_EQ(compiler->facts("gfx90a:sramecc+:xnack-").wave_size, 64);
  EXPECT_NE(compile("gfx90a:sramecc+:xnack-", kernel_text("int* out", "*out = 1;")).bytes,
            compile("gfx90a:sramecc+:xnack+", kernel_text("int* out", "*out = 1;")).bytes);
}

TEST_F(AmdCompiler, an_architecture_that_it_does_not_know_is_unavailable_and_this_process_lives) {
  expect_unavailable("gfx90z");
  expect_unavailable("gfx90a:xnock+");
  expect_unavailable("gfx90z");
  EXPECT_NO_THROW(static_cast<void>(compile("gfx90a", kernel_text("", ""))));
}

// LLVM ends its process then.
TEST_F(AmdCompiler, a_compiler_that_gives_up_is_a_failure_and_this_process_lives) {
  const std::string text = kernel_text("int* out", "*out = 1;");
  EXPECT_NO_THROW(static_cast<void>(compile("gfx90a", text)));
  const char* folder = std::getenv("TMPDIR");
  const std::string before = folder == nullptr ? "" : folder;
  ::setenv("TMPDIR", "/nonexistent/folder", 1);
  const CompileResult result = compiler->compile({{"k.hip", text}, {}, {"k"}, "gfx90a"});
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  EXPECT_TRUE(std::holds_alternative<CompileFailure>(result));
  EXPECT_NO_THROW(static_cast<void>(compile("gfx90a", text)));
}

TEST_F(AmdCompiler, an_architecture_newer_than_the_compiler_is_unavailable) {
  try {
    EXPECT_EQ(compiler->facts("gfx1201").wave_size, 32);
  } catch (const Error&) {
    expect_unavailable("gfx1201");
  }
}

TEST_F(AmdCompiler, an_unknown_architecture_leaves_no_process_and_no_file_open) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  static_cast<void>(compiler->facts("gfx906"));
  const auto before = open_files();
  expect_unavailable("gfx90y");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST_F(AmdCompiler, says_what_each_entry_point_needs_in_the_order_of_the_request) {
  const std::string text = kernel_text("int* out",
                                       "__shared__ int kept[100];\nkept[threadIdx.x] = out[threadIdx.x];\nbarrier();\n"
                                       "out[threadIdx.x] = kept[99 - threadIdx.x];") +
                           "extern \"C\" __global__ void plain(int* out) { *out = 1; }\n";
  for (const Architecture& each : kArchitectures) {
    const CodeObject code = compile(each.name, text, {"plain", "k"});
    ASSERT_EQ(code.resources.size(), 2U);
    for (const Resources& resources : code.resources) {
      EXPECT_THAT(resources.vgprs, Optional(Gt(0))) << each.name;
      EXPECT_THAT(resources.sgprs, Optional(Gt(0))) << each.name;
      EXPECT_EQ(resources.scratch_bytes, 0);
      EXPECT_EQ(resources.spilled_registers, 0);
    }
    EXPECT_EQ(code.resources[0].lds_bytes, 0);
    EXPECT_EQ(code.resources[1].lds_bytes, 400);
  }
}

TEST_F(AmdCompiler, counts_what_is_spilled) {
  const std::string body =
      "float kept[600];\nfor (int i = 0; i < 600; ++i) kept[i] = in[i * 64 + threadIdx.x];\nbarrier();\n"
      "float sum = 0;\n#pragma unroll\nfor (int i = 0; i < 600; ++i) sum = sum * kept[i] + kept[599 - i];\n"
      "out[threadIdx.x] = sum;";
  const CodeObject code = compile("gfx906", kernel_text("const float* in, float* out", body));
  EXPECT_THAT(code.resources.at(0).scratch_bytes, Optional(Gt(0)));
}

TEST_F(AmdCompiler, the_whole_device_layer_compiles) {
  const std::string body =
      "float* lds = dynamic_lds<float>();\nlds[threadIdx.x] = in[threadIdx.x];\nbarrier();\n"
      "float x = lds[blockDim.x - 1 - threadIdx.x];\n"
      "x += shuffle_down(x, 1) + shuffle_xor(x, 3) + shuffle(x, 5);\n"
      "double wide = shuffle_xor(static_cast<double>(x), 32) + wave_sum(static_cast<double>(x));\n"
      "x += wave_sum(x) + block_sum(x, lds) + static_cast<float>(wave_sum(lane()) + wave() + wave_width());\n"
      "x += hiptune::sqrt(x) + hiptune::rsqrt(x) + hiptune::exp(x) + hiptune::log(x) + hiptune::tanh(x);\n"
      "x += hiptune::pow(x, 2.5f) + hiptune::fma(x, x, x) + hiptune::abs(x) + hiptune::max(x, 1.0f);\n"
      "wide += hiptune::sqrt(wide) + hiptune::rsqrt(wide) + hiptune::exp(wide) + hiptune::log(wide);\n"
      "wide += hiptune::tanh(wide) + hiptune::pow(wide, wide) + hiptune::fma(wide, wide, wide);\n"
      "store_vector(out + 4 * threadIdx.x, load_vector<4>(in + 4 * threadIdx.x));\n"
      "out[threadIdx.x] = from_float<float>(to_float(x)) + to_float(wide);";
  for (const Architecture& each : kArchitectures) {
    const CodeObject code = compile(each.name, kernel_text("const float* in, float* out", body));
    EXPECT_THAT(code.resources.at(0).lds_bytes, Optional(0)) << "dynamic LDS is no part of the kernel's own";
    EXPECT_EQ(code.resources.at(0).spilled_registers, 0) << each.name;
  }
}

TEST_F(AmdCompiler, launch_bounds_reach_the_compiler) {
  const std::string kernel =
      "#include \"hiptune_config.h\"\n#include \"hiptune_device.h\"\nextern \"C\" __global__ void ";
  for (const std::string bounds : {"", "HIPTUNE_LAUNCH_BOUNDS(64) ", "HIPTUNE_LAUNCH_BOUNDS_BLOCKS(256, 2) "})
    EXPECT_NO_THROW(static_cast<void>(compile("gfx90a", kernel + bounds + "k(int* out) { *out = 1; }\n"))) << bounds;
}

TEST_F(AmdCompiler, a_template_may_include_the_header_of_hip) {
  EXPECT_NO_THROW(static_cast<void>(
      compile("gfx90a", "#include <hip/hip_runtime.h>\n#include \"hip/hip_runtime.h\"\n" + kernel_text("", ""))));
}

TEST_F(AmdCompiler, an_empty_header_is_no_error) {
  CompileRequest request = request_for(target("gfx90a"), "#include \"nothing.h\"\n" + kernel_text("", ""), {"k"});
  request.headers.push_back({"nothing.h", ""});
  EXPECT_TRUE(std::holds_alternative<CodeObject>(compiler->compile(request)));
}

TEST_F(AmdCompiler, a_failures_log_has_the_sources_lines_and_no_folder) {
  const std::string log = log_of(kernel_text("int* out", "*out = 1;\n*out = misspelt;"));
  EXPECT_THAT(log, HasSubstr("kernel.hip:" + std::to_string(kLinesBeforeBody + 2) + ":8: error:"));
  EXPECT_THAT(log, AllOf(HasSubstr("misspelt"), Not(HasSubstr("/tmp")), Not(HasSubstr("comgr"))));
  EXPECT_THAT(log_of("#include \"hiptune_devise.h\"\n"), HasSubstr("kernel.hip:1"));
}

TEST_F(AmdCompiler, an_error_in_a_header_names_the_header_without_a_folder) {
  CompileRequest request = request_for(target("gfx90a"), kernel_text("", ""), {"k"});
  request.headers[0].text += "#error wrong header\n";
  const CompileResult result = compiler->compile(request);
  EXPECT_THAT(std::get<CompileFailure>(result).log,
              AllOf(HasSubstr("\nhiptune_config.h:3:2: error"), HasSubstr("kernel.hip:1"), Not(HasSubstr("comgr"))));
}

TEST_F(AmdCompiler, what_is_called_and_is_nowhere_is_a_compile_failure_that_names_it) {
  const std::string text = "__device__ int nowhere();\n" + kernel_text("int* out", "*out = nowhere();");
  EXPECT_THAT(log_of(text), AllOf(HasSubstr("nowhere"), Not(HasSubstr("/tmp"))));
}

TEST_F(AmdCompiler, an_entry_point_that_the_source_lacks_is_a_compile_failure_that_names_it) {
  EXPECT_THAT(log_of(kernel_text("", ""), {"k", "absent"}), HasSubstr("absent"));
  EXPECT_THAT(log_of("extern \"C\" __device__ void k() {}\n"), HasSubstr("void k"));
}

TEST_F(AmdCompiler, names_that_leave_the_folder_are_refused) {
  for (const char* name : {"../kernel.hip", "/tmp/kernel.hip", "", "-o"}) {
    CompileRequest request = request_for(target("gfx90a"), kernel_text("", ""), {"k"});
    request.headers[0].name = name;
    EXPECT_THAT(message_of<Error>([&] { static_cast<void>(compiler->compile(request)); }),
                HasSubstr("plain file name"));
  }
}

TEST_F(AmdCompiler, equal_sources_have_equal_isa_and_other_code_or_constants_do_not) {
  for (const Architecture& each : kArchitectures) {
    const auto hash = [&](const std::string& parameter, const std::string& body) {
      return compile(each.name, kernel_text("float* " + parameter, body)).isa_hash;
    };
    const std::string first = hash("out", "*out = *out * 3.5f;");
    EXPECT_EQ(first.size(), 32U);
    EXPECT_EQ(first, hash("out", "*out = *out * 3.5f;"));
    EXPECT_EQ(first, hash("a_name_that_is_longer_by_far", "// a comment\n*a_name_that_is_longer_by_far *= 3.5f;"));
    EXPECT_NE(first, hash("out", "*out = *out + 3.5f;"));
    EXPECT_NE(first, hash("out", "*out = *out * 3.25f;"));
    EXPECT_NE(first, hash("out", "__shared__ float kept[9]; kept[threadIdx.x] = *out; barrier(); *out = kept[0];"));
  }
}

TEST_F(AmdCompiler, a_table_of_constants_counts_for_the_isa) {
  const auto hash = [&](const std::string& last) {
    return compile("gfx90a", "__constant__ const int table[] = {2, 7, 1, 8, 2, 8, 1, 8, " + last + "};\n" +
                                 kernel_text("int* out", "*out = table[*out];"))
        .isa_hash;
  };
  EXPECT_NE(hash("28"), hash("29"));
  EXPECT_EQ(hash("28"), hash("28"));
}

TEST_F(AmdCompiler, one_object_serves_several_threads) {
  const Target wanted = target("gfx90a");
  const CompileRequest request = request_for(wanted, kernel_text("int* out", "*out = 1;"), {"k"});
  std::vector<std::string> hashes(4);
  std::vector<std::thread> threads;
  for (std::string& hash : hashes)
    threads.emplace_back([&] { hash = std::get<CodeObject>(compiler->compile(request)).isa_hash; });
  threads.emplace_back([&] { expect_unavailable("gfx90x"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(hashes, testing::Each(std::get<CodeObject>(compiler->compile(request)).isa_hash));
}

// ---- the small kernels that ship; of the large one shipped_rmsnorm_test.cpp compiles a part

// Few enough to compile in a test: every pair of values of two tunables.
std::vector<Config> covering(const Kernel& kernel, const Problem& problem, const TargetFacts& facts) {
  const std::vector<Config> valid = valid_configs(kernel.space, problem, facts, {}).valid;
  return valid.size() > 40 ? pairwise_covering(valid) : valid;
}

Problem small_problem(const Kernel& kernel, Dtype dtype) {
  return make_problem(kernel.space, std::vector<std::int64_t>(kernel.space.dimensions.size(), 256), dtype, {});
}

class ShippedForAmd : public AmdCompiler, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, ShippedForAmd, testing::Values("copy", "row_norm2"),
                         [](const auto& kernel) { return kernel.param; });

TEST_P(ShippedForAmd, every_variant_compiles_for_every_architecture_and_spills_nothing) {
  const Kernel kernel = KernelPath({}, {}).load(GetParam());
  for (const Architecture& each : kArchitectures) {
    const TargetFacts facts = compiler->facts(each.name);
    const Problem problem = small_problem(kernel, kernel.space.dtypes.front());
    const std::vector<Config> configs = covering(kernel, problem, facts);
    EXPECT_FALSE(configs.empty());
    for (const Config& config : configs) {
      const Variant variant = make_variant(kernel, problem, facts, config);
      const CompileResult result =
          compiler->compile({variant.source, variant.headers, variant.entry_points, each.name});
      const auto* failure = std::get_if<CompileFailure>(&result);
      ASSERT_EQ(failure, nullptr) << each.name << " " << to_string(config) << "\n" << failure->log;
      for (const Resources& resources : std::get<CodeObject>(result).resources) {
        EXPECT_EQ(resources.spilled_registers, 0) << each.name << " " << to_string(config);
        EXPECT_EQ(resources.scratch_bytes, 0) << each.name << " " << to_string(config);
      }
    }
  }
}

}  // namespace hiptune::device_tests
