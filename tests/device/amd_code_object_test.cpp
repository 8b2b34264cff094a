// The reader of code objects, on one that hipRTC makes now, sound and damaged.
#include "amd/code_object.hpp"

#include <elf.h>

#include <cstring>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::HasSubstr;

class AmdCodeObject : public testing::Test {
 protected:
  void SetUp() override {
    try {
      const auto compiler = open_compiler("amd", {});
      const std::string text =
          "extern \"C\" __global__ void first(int* out) { __shared__ int kept[64]; kept[threadIdx.x] = *out; "
          "__syncthreads(); out[threadIdx.x] = kept[63 - threadIdx.x]; }\n"
          "extern \"C\" __global__ void second() {}\n";
      code = std::get<CodeObject>(compiler->compile({{"two.hip", text}, {}, {"first", "second"}, "gfx90a"}));
      bytes = code.bytes;
    } catch (const Error& error) {
      GTEST_SKIP() << "no hipRTC: " << error.what();
    }
  }

  std::string refusal() {
    return message_of<Error>([&] {
      static_cast<void>(amd::metadata_of(bytes));
      static_cast<void>(amd::isa_hash_of(bytes));
    });
  }
  // Reads what may be damaged: an Error is as good as a result, anything else is not.
  void read() {
    try {
      static_cast<void>(amd::metadata_of(bytes));
      static_cast<void>(amd::isa_hash_of(bytes));
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("not a code object of an AMD GPU: "));
    }
  }
  // The place of a text in the bytes.
  std::size_t find(const std::string& text) {
    const auto* first = reinterpret_cast<const char*>(bytes.data());
    const std::size_t at = std::string_view(first, bytes.size()).find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return at;
  }
  void overwrite(const std::string& text, const std::string& with) {
    std::memcpy(bytes.data() + find(text), with.data(), with.size());
  }

  CodeObject code;
  std::vector<std::byte> bytes;
  int refused = 0;
};

TEST_F(AmdCodeObject, has_a_row_of_metadata_per_kernel) {
  const auto kernels = amd::metadata_of(bytes);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.at("first").wave_size, 64);
  EXPECT_EQ(kernels.at("first").resources.lds_bytes, 256);
  EXPECT_THAT(kernels.at("first").resources.vgprs, testing::Optional(testing::AllOf(testing::Gt(0), testing::Lt(16))));
  EXPECT_EQ(kernels.at("first").resources.scratch_bytes, 0);
  EXPECT_EQ(kernels.at("first").resources.spilled_registers, 0);
  EXPECT_EQ(kernels.at("second").resources.lds_bytes, 0);
  EXPECT_EQ(kernels.at("second").wave_size, 64);
}

// A reader that recurses would not survive a note of megabytes.
TEST_F(AmdCodeObject, metadata_that_nests_deep_is_refused) {
  const std::size_t first = find("amdhsa.kernels") - 2;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), 400, std::byte{0x91});  // lists of one element
  EXPECT_THAT(refusal(), HasSubstr("nests too deep"));
}

TEST_F(AmdCodeObject, a_key_that_is_absent_is_none_and_not_zero) {
  for (const char* key : {".vgpr_count", ".sgpr_count", ".group_segment_fixed_size", ".private_segment_fixed_size",
                          ".vgpr_spill_count", ".wavefront_size"})
    overwrite(key, ".x");
  const amd::KernelMetadata first = amd::metadata_of(bytes).at("first");
  EXPECT_EQ(first.wave_size, std::nullopt);
  EXPECT_EQ(first.resources.vgprs, std::nullopt);
  EXPECT_EQ(first.resources.sgprs, std::nullopt);
  EXPECT_EQ(first.resources.lds_bytes, std::nullopt);
  EXPECT_EQ(first.resources.scratch_bytes, std::nullopt);
  EXPECT_EQ(first.resources.spilled_registers, std::nullopt);
}

TEST_F(AmdCodeObject, metadata_that_is_no_metadata_is_an_error) {
  overwrite("amdhsa.kernels", "amdhsa.colonel");
  EXPECT_THAT(refusal(), HasSubstr("its metadata cannot be read"));
}

TEST_F(AmdCodeObject, a_code_object_without_the_note_is_an_error) {
  overwrite("AMDGPU", "BMDGPU");
  EXPECT_THAT(refusal(), HasSubstr("it has no metadata"));
}

TEST_F(AmdCodeObject, a_file_for_another_machine_is_an_error) {
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_X86_64;
  EXPECT_THAT(refusal(), HasSubstr("another machine"));
}

TEST_F(AmdCodeObject, the_hash_covers_the_code_and_the_descriptors_and_nothing_beside_them) {
  const std::string before = amd::isa_hash_of(bytes);
  EXPECT_EQ(before, code.isa_hash);
  overwrite(".vgpr_count", ".x");
  overwrite("clang version", "glang version");
  EXPECT_EQ(amd::isa_hash_of(bytes), before);
  const auto header = *reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  int changed = 0;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + static_cast<std::size_t>(i) * sizeof(section),
                sizeof(section));
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_ALLOC) == 0) continue;
    bytes[section.sh_offset] ^= std::byte{1};  // of .rodata, where the first descriptor begins, and of .text
    EXPECT_NE(amd::isa_hash_of(bytes), before);
    bytes[section.sh_offset] ^= std::byte{1};
    ++changed;
  }
  EXPECT_EQ(changed, 2);
}

TEST_F(AmdCodeObject, cut_short_anywhere_it_is_an_error) {
  for (std::size_t size = 0; size < code.bytes.size(); size += 7) {
    bytes.assign(code.bytes.begin(), code.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(refusal(), HasSubstr("not a code object of an AMD GPU: ")) << size;
  }
}

TEST_F(AmdCodeObject, damaged_anywhere_it_is_read_or_refused) {
  for (std::size_t at = 0; at < code.bytes.size(); ++at) {
    for (const unsigned damage : {0x01U, 0x80U, 0xffU}) {
      bytes[at] ^= static_cast<std::byte>(damage);
      read();
      bytes[at] = code.bytes[at];
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace hiptune::device_tests
