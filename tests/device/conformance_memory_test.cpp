// Memory, modules and compilation as every backend must offer them.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

class Memory : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Memory, testing::ValuesIn(present_devices()), name_of_device);

TEST_P(Memory, the_target_says_which_device_this_is) {
  const Target& target = bench.device().target();
  EXPECT_EQ(target.id, GetParam());
  EXPECT_EQ(target.backend, GetParam().substr(0, GetParam().find(':')));
  EXPECT_FALSE(target.name.empty());
  EXPECT_FALSE(target.driver.empty());
  EXPECT_THAT(target.architecture, HasSubstr(target.backend == "host" ? "-wave" : ""));
  EXPECT_GE(target.facts.compute_units, 1);
  EXPECT_GT(target.memory_bytes, 0);
}

TEST_P(Memory, the_wave_size_of_kernels_is_the_targets) {
  const auto module = bench.load_body("int* out", "if (threadIdx.x == 0) *out = wave_width();");
  const DeviceMemory out = bench.upload<int>({-1});
  bench.launch(*module, geometry(1, 256), pointer<int>(out));
  EXPECT_EQ(bench.download<int>(out).at(0), bench.facts().wave_size);
  if (bench.device().target().backend == "host") {
    EXPECT_EQ(bench.facts().wave_size, GetParam() == "host:wave64" ? 64 : 32);
  }
}

TEST_P(Memory, allocations_are_aligned_and_distinct) {
  const DeviceMemory first(bench.device(), 1);
  const DeviceMemory second(bench.device(), 0);
  const DeviceMemory third(bench.device(), 1000001);
  for (const DeviceMemory* memory : {&first, &second, &third})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 256, 0U);
  EXPECT_NE(first.data(), second.data());
  EXPECT_NE(second.data(), third.data());
}

TEST_P(Memory, an_allocation_beyond_what_there_is_names_both_sizes) {
  const auto too_much = static_cast<std::size_t>(bench.device().target().memory_bytes) + 4096;
  const std::string message = message_of<Error>([&] { static_cast<void>(bench.device().allocate(too_much)); });
  EXPECT_THAT(message, HasSubstr(std::to_string(too_much)));
  EXPECT_THAT(message, HasSubstr("left"));
}

TEST_P(Memory, memory_that_is_given_back_can_be_had_again) {
  const auto most = static_cast<std::size_t>(bench.device().target().memory_bytes) / 4 * 3;
  for (int i = 0; i < 4; ++i) EXPECT_NO_THROW(DeviceMemory(bench.device(), most));
}

TEST_P(Memory, copies_move_every_byte_small_and_large) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{3} << 20}) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 7U);
    const DeviceMemory from = bench.upload(values);
    const DeviceMemory to(bench.device(), from.bytes());
    bench.device().copy(to.data(), from.data(), from.bytes(), nullptr);
    EXPECT_EQ(bench.download<std::uint32_t>(to), values);
  }
}

TEST_P(Memory, fill_sets_every_byte_and_none_beyond) {
  const std::size_t bytes = (std::size_t{5} << 20) + 3;
  const DeviceMemory memory = bench.upload(std::vector<std::uint8_t>(bytes + 16, 1));
  bench.device().fill(memory.data(), std::byte{0xab}, bytes, nullptr);
  std::vector<std::uint8_t> values = bench.download<std::uint8_t>(memory);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0xab), static_cast<std::ptrdiff_t>(bytes));
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(bytes));
  EXPECT_THAT(values, Each(1));
}

TEST_P(Memory, a_compile_failure_keeps_the_sources_lines_and_no_folder) {
  const std::string log = bench.failure_log(kernel_text("int* out", "*out = 1;\n*out = misspelt;"));
  EXPECT_THAT(log, ContainsRegex(error_at(kLinesBeforeBody + 2)));
  EXPECT_THAT(log, HasSubstr("misspelt"));
  EXPECT_THAT(log, Not(HasSubstr(DeviceSettings().temporary_directory)));
}

TEST_P(Memory, an_entry_point_that_the_source_lacks_is_a_compile_failure_that_names_it) {
  EXPECT_THAT(bench.failure_log(kernel_text("", ""), {"k", "absent"}), HasSubstr("absent"));
}

TEST_P(Memory, a_misspelt_header_is_a_compile_failure) {
  EXPECT_THAT(bench.failure_log("#include \"hiptune_devise.h\"\n"), ContainsRegex(error_at(1)));
}

TEST_P(Memory, an_unknown_entry_point_of_a_module_is_an_error_that_names_it) {
  const auto module = bench.load_body("", "");
  EXPECT_NE(module->function("k"), nullptr);
  EXPECT_EQ(module->function("k"), module->function("k"));
  EXPECT_THAT(message_of<Error>([&] { static_cast<void>(module->function("absent")); }), HasSubstr("'absent'"));
}

TEST_P(Memory, equal_sources_have_equal_isa_and_other_code_or_constants_do_not) {
  const std::string source = kernel_text("float* out", "*out = *out * 3.5f;");
  const CodeObject code = bench.compile(source);
  EXPECT_EQ(code.resources.size(), 1U);
  EXPECT_EQ(code.isa_hash, bench.compile(source).isa_hash);
  EXPECT_EQ(code.isa_hash, bench.compile("// a comment\n" + source).isa_hash);
  EXPECT_NE(code.isa_hash, bench.compile(kernel_text("float* out", "*out = *out + 3.5f;")).isa_hash);
  EXPECT_NE(code.isa_hash, bench.compile(kernel_text("float* out", "*out = *out * 3.25f;")).isa_hash);
}

TEST_P(Memory, modules_load_and_unload_hundreds_of_times_without_leaving_files_open) {
  const CodeObject code = bench.compile(kernel_text("int* out", "static int calls; *out = ++calls;"));
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const DeviceMemory out = bench.upload<int>({0});
  bench.launch(*bench.device().load(code), geometry(1, 1), pointer<int>(out));
  const auto before = open_files();
  for (int i = 0; i < 500; ++i) {
    const auto module = bench.device().load(code);
    bench.launch(*module, geometry(1, 1), pointer<int>(out));
    ASSERT_EQ(bench.download<int>(out).at(0), 1) << "the module before was still there";
  }
  EXPECT_EQ(open_files(), before);
}

TEST_P(Memory, modules_loaded_at_once_are_separate) {
  std::vector<std::unique_ptr<Module>> modules;
  const DeviceMemory out = bench.upload<int>({0});
  for (int i = 0; i < 3; ++i) {
    const std::string value = std::to_string(i);
    modules.push_back(bench.load_body("int* out", "*out = " + value + ";"));
  }
  for (int i = 0; i < 3; ++i) {
    bench.launch(*modules[static_cast<std::size_t>(i)], geometry(1, 1), pointer<int>(out));
    EXPECT_EQ(bench.download<int>(out).at(0), i);
  }
}

}  // namespace hiptune::device_tests
