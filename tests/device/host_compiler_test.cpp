#include "device/host/compiler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// While it lives, no file can grow beyond `bytes`: writing fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

class HostCompiler : public testing::Test {
 protected:
  HostCompiler() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    settings.temporary_directory = folder.string();
  }
  ~HostCompiler() override { std::filesystem::remove_all(folder); }

  // A script in the folder that stands for a compiler; its path.
  [[nodiscard]] std::string add_compiler(const std::string& name, const std::string& script) const {
    std::ofstream(folder / name) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    return folder / name;
  }

  static Error error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return failed("");
  }

  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("hiptune_host_compiler_test-" + std::to_string(getpid()));
  DeviceSettings settings;
  std::string good = kernel_text("int* out", "*out = 1;");
};

TEST_F(HostCompiler, says_which_compiler_it_is) {
  const std::string version = open_compiler("host", settings)->version();
  EXPECT_THAT(version, testing::ContainsRegex("[0-9]+\\.[0-9]+"));
  EXPECT_THAT(version, Not(HasSubstr("\n")));
}

TEST_F(HostCompiler, a_compiler_that_is_not_there_is_unavailable_and_the_message_says_what_to_do) {
  settings.cxx_compiler = "no-such-c++";
  Bench bench("host", settings);
  for (const auto& action : std::vector<std::function<void()>>{[&] { static_cast<void>(bench.compiler().version()); },
                                                               [&] { static_cast<void>(bench.compile(good)); }}) {
    try {
      action();
      FAIL() << "it ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("no C++ compiler 'no-such-c++'"), HasSubstr("install g++")));
    }
  }
}

TEST_F(HostCompiler, leaves_nothing_behind_whether_it_succeeds_or_fails) {
  Bench bench("host", settings);
  static_cast<void>(bench.compile(good));
  const std::string log = bench.failure_log("#error \"on purpose\"\n");
  EXPECT_THAT(log, AllOf(HasSubstr("kernel.hip:1:2: error"), HasSubstr("on purpose"), Not(HasSubstr(folder.string()))));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(HostCompiler, an_error_in_a_header_names_the_header_without_a_folder) {
  Bench bench("host", settings);
  CompileRequest request = request_for(bench.device().target(), good, {"k"});
  request.headers[0].text += "#error wrong header\n";
  const CompileResult result = bench.compiler().compile(request);
  EXPECT_THAT(std::get<CompileFailure>(result).log, AllOf(HasSubstr("hiptune_config.h:3:2: error"),
                                                          HasSubstr("kernel.hip:1"), Not(HasSubstr(folder.string()))));
}

TEST_F(HostCompiler, a_temporary_folder_that_cannot_be_used_is_named) {
  settings.temporary_directory = (folder / "absent").string();
  Bench bench("host", settings);
  EXPECT_THAT(message_of<Error>([&] { static_cast<void>(bench.compile(good)); }),
              HasSubstr((folder / "absent").string()));
}

// As sources are written last of all, and compilers report a full disk as an error of their own.
TEST_F(HostCompiler, a_temporary_folder_that_is_full_is_named_and_not_the_source) {
  Bench bench("host", settings);
  const FileSizeLimit limit(std::size_t{1} << 20);
  const Error error = error_of([&] { static_cast<void>(bench.failure_log("#error \"on purpose\"\n")); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_THAT(error.what(), AllOf(HasSubstr(folder.string()), HasSubstr("File too large"), HasSubstr("set TMPDIR")));
}

TEST_F(HostCompiler, a_program_that_is_no_compiler_is_named_and_not_the_source) {
  for (const char* program : {"/bin/cat", "/bin/true"}) {
    settings.cxx_compiler = program;
    Bench bench("host", settings);
    const Error error = error_of([&] { static_cast<void>(bench.compile(good)); });
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(std::string("the C++ compiler '") + program + "' cannot build a trivial"),
                                    HasSubstr("HIPTUNE_CXX")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(HostCompiler, a_compiler_that_lacks_its_parts_is_quoted) {
  settings.cxx_compiler =
      add_compiler("broken-g++", "[ \"$1\" = --version ] || { echo 'as: error: not there' >&2; exit 1; }");
  Bench bench("host", settings);
  const Error error = error_of([&] { static_cast<void>(bench.compile(good)); });
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("a trivial shared library: as: error: not there; name"));
}

TEST_F(HostCompiler, a_source_s_own_fault_stays_a_result_and_the_compiler_is_tried_once) {
  settings.cxx_compiler =
      add_compiler("counting-g++", "echo run >> '" + (folder / "runs").string() + "'; exec c++ \"$@\"");
  Bench bench("host", settings);
  for (int i = 0; i < 2; ++i) EXPECT_THAT(bench.failure_log("#error \"on purpose\"\n"), HasSubstr("on purpose"));
  static_cast<void>(bench.compile(good));
  // The version, two sources that fail, the trivial one, the good one.
  EXPECT_EQ(read_text(folder / "runs"), "run\nrun\nrun\nrun\nrun\n");
}

TEST_F(HostCompiler, a_relative_path_is_taken_from_the_process_s_folder) {
  static_cast<void>(add_compiler("my-g++", "exec c++ \"$@\""));
  const WorkingFolder here(folder);
  settings.cxx_compiler = "./my-g++";
  EXPECT_NO_THROW(static_cast<void>(Bench("host", settings).compile(good)));
  settings.cxx_compiler = "./your-g++";
  EXPECT_THAT(error_of([&] { static_cast<void>(Bench("host", settings).compile(good)); }).what(),
              AllOf(HasSubstr("no C++ compiler './your-g++';"), HasSubstr((folder / "./your-g++").string())));
}

TEST_F(HostCompiler, a_name_is_found_in_a_relative_folder_of_the_path) {
  static_cast<void>(add_compiler("my-g++", "exec c++ \"$@\""));
  const WorkingFolder here(folder.parent_path());
  const std::string before = getenv("PATH");
  setenv("PATH", (folder.filename().string() + ":" + before).c_str(), 1);
  settings.cxx_compiler = "my-g++";
  EXPECT_NO_THROW(static_cast<void>(Bench("host", settings).compile(good)));
  setenv("PATH", before.c_str(), 1);
}

TEST_F(HostCompiler, for_a_name_of_hip_that_it_lacks_the_log_ends_with_what_to_use) {
  Bench bench("host", settings);
  const auto log = [&](const std::string& body) { return bench.failure_log(kernel_text("float* out", body)); };
  EXPECT_THAT(log("__shared__ float lds[64]; lds[threadIdx.x] = 0;"),
              testing::EndsWith("hint: instead of __shared__ hiptune_device.h has hiptune::dynamic_lds<T>(), whose "
                                "bytes the plan's \"dynamic_lds\" gives\n"));
  EXPECT_THAT(log("__syncthreads();"),
              testing::EndsWith("hint: instead of __syncthreads hiptune_device.h has hiptune::barrier()\n"));
  EXPECT_THAT(log("*out = __shfl_down_sync(~0u, 1.0f, 2);"), HasSubstr("has hiptune::shuffle_down(value, delta)\n"));
  EXPECT_THAT(log("*out = threadIdx.x + nothing;"), AllOf(HasSubstr("threadIdx.x"), Not(HasSubstr("hint:"))));
  EXPECT_THAT(bench.failure_log("extern \"C\" __global__ void k(float* out) { *out = threadIdx.x; }\n"),
              HasSubstr("has the same after #include \"hiptune_device.h\"\n"));
}

TEST_F(HostCompiler, builds_for_this_machine_only) {
  Bench bench("host", settings);
  CompileRequest request = request_for(bench.device().target(), good, {"k"});
  for (const char* architecture : {"gfx90a", "x86_64", "x86_64-wave16"}) {
    request.architecture = architecture;
    EXPECT_THAT(message_of<Error>([&] { static_cast<void>(bench.compiler().compile(request)); }),
                AllOf(HasSubstr(architecture), HasSubstr(host::architecture(64))));
  }
}

TEST_F(HostCompiler, a_configuration_for_another_wave_size_does_not_compile) {
  Bench bench("host", settings);
  CompileRequest request = request_for(bench.device().target(), good, {"k"});
  request.architecture = host::architecture(64);
  EXPECT_THAT(std::get<CompileFailure>(bench.compiler().compile(request)).log, HasSubstr("wave size"));
}

TEST_F(HostCompiler, names_that_leave_the_folder_are_refused) {
  Bench bench("host", settings);
  for (const char* name : {"../kernel.hip", "/tmp/kernel.hip", "", "-o"}) {
    CompileRequest request = request_for(bench.device().target(), good, {"k"});
    request.source.name = name;
    EXPECT_THAT(message_of<Error>([&] { static_cast<void>(bench.compiler().compile(request)); }),
                HasSubstr("plain file name"));
  }
}

TEST_F(HostCompiler, one_object_serves_several_threads) {
  Bench bench("host", settings);
  std::vector<std::string> hashes(4);
  std::vector<std::thread> threads;
  for (std::string& hash : hashes) threads.emplace_back([&] { hash = bench.compile(good).isa_hash; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(hashes, testing::Each(bench.compile(good).isa_hash));
}

TEST_F(HostCompiler, does_not_contract_floating_point) {
  Bench bench("host", settings);
  const auto module = bench.load_body("double* out, double a, double b, double c", "*out = a * b + c;");
  const DeviceMemory out = bench.upload<double>({0});
  const double a = 1 + 0x1p-30;
  bench.launch(*module, geometry(1, 1), pointer<double>(out), a, a, -(1 + 0x1p-29));
  EXPECT_EQ(bench.download<double>(out).at(0), 0);  // a fused multiply-add would give 2^-60
}

}  // namespace hiptune::device_tests
