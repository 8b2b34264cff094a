#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::HasSubstr;

class HostModule : public testing::Test {
 protected:
  Bench bench{"host"};
  CodeObject code = bench.compile(kernel_text("int* out", "*out = 1;"));

  std::string refusal(const CodeObject& damaged) {
    return message_of<Error>([&] { static_cast<void>(bench.device().load(damaged)); });
  }
};

TEST_F(HostModule, a_code_object_cut_short_anywhere_is_an_error) {
  for (std::size_t bytes = 0; bytes < code.bytes.size(); bytes += 97) {
    CodeObject cut = code;
    cut.bytes.resize(bytes);
    EXPECT_THAT(refusal(cut), HasSubstr("not a code object")) << bytes;
  }
}

TEST_F(HostModule, bytes_that_are_no_code_object_are_an_error) {
  CodeObject other = code;
  other.bytes.assign(10000, std::byte{'x'});
  EXPECT_THAT(refusal(other), HasSubstr("no ELF file"));
}

TEST_F(HostModule, a_shared_library_that_is_no_kernel_is_an_error) {
  // The test's own C++ library is a shared library of the right machine.
  std::string path;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line) && path.empty();)
    if (line.find("libgtest") != std::string::npos || line.find("libm.so") != std::string::npos)
      path = line.substr(line.find('/'));
  ASSERT_FALSE(path.empty());
  const std::string text = read_text(path);
  CodeObject other = code;
  other.bytes.resize(text.size());
  std::transform(text.begin(), text.end(), other.bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  EXPECT_THAT(refusal(other), HasSubstr("no hiptune_host_module"));
}

TEST_F(HostModule, a_code_object_for_another_wave_size_is_an_error_that_names_both) {
  Bench wide("host:wave64");
  const std::string message = message_of<Error>([&] { static_cast<void>(wide.device().load(code)); });
  EXPECT_THAT(message, testing::AllOf(HasSubstr("32"), HasSubstr("64"), HasSubstr("compile it")));
}

TEST_F(HostModule, a_kernel_may_have_the_name_of_a_c_function) {
  const auto module = bench.load(
      "#include \"hiptune_device.h\"\nextern \"C\" __global__ void puts(int* out) { *out = 5; }\n", {"puts"});
  const DeviceMemory out = bench.upload<int>({0});
  int* target = pointer<int>(out);
  void* arguments[] = {&target};
  bench.device().launch(module->function("puts"), geometry(1, 1), arguments, nullptr);
  EXPECT_EQ(bench.download<int>(out).at(0), 5);
}

}  // namespace hiptune::device_tests
