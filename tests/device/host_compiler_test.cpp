#include "device/host/compiler.hpp"

#include <unistd.h>

#include <thread>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HostCompiler : public testing::Test {
 protected:
  HostCompiler() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    settings.temporary_directory = folder.string();
  }
  ~HostCompiler() override { std::filesystem::remove_all(folder); }

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
