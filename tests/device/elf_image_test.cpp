#include "device/host/elf_image.hpp"

#include <elf.h>

#include <cstring>

#include "device/bench.hpp"

namespace hiptune::device_tests {

class ElfImage : public testing::Test {
 protected:
  std::vector<std::byte> bytes = Bench("host").compile(kernel_text("int* out", "*out = 1;")).bytes;

  template <class T>
  T& at(std::size_t offset) {
    return *reinterpret_cast<T*>(bytes.data() + offset);
  }
  std::string refusal() {
    return message_of<Error>([&] { host::check_shared_library(bytes); });
  }
};

TEST_F(ElfImage, accepts_what_the_compiler_makes) {
  EXPECT_NO_THROW(host::check_shared_library(bytes));
  EXPECT_EQ(host::hash_code(bytes).size(), 32U);
}

TEST_F(ElfImage, rejects_a_file_for_another_machine) {
  at<Elf64_Ehdr>(0).e_machine = EM_PPC64;
  EXPECT_THAT(refusal(), testing::HasSubstr("another machine"));
}

TEST_F(ElfImage, rejects_a_program_that_is_no_library) {
  at<Elf64_Ehdr>(0).e_type = ET_REL;
  EXPECT_THAT(refusal(), testing::HasSubstr("no shared library"));
}

TEST_F(ElfImage, rejects_a_segment_beyond_the_end_even_where_the_sum_overflows) {
  const auto offset = at<Elf64_Ehdr>(0).e_phoff;
  at<Elf64_Phdr>(offset).p_filesz = ~std::uint64_t{0};
  EXPECT_THAT(refusal(), testing::HasSubstr("truncated"));
}

TEST_F(ElfImage, rejects_section_headers_beyond_the_end) {
  at<Elf64_Ehdr>(0).e_shoff = bytes.size() - 8;
  EXPECT_THAT(refusal(), testing::HasSubstr("truncated"));
}

TEST_F(ElfImage, the_hash_covers_code_and_nothing_beside_it) {
  const std::string before = host::hash_code(bytes);
  at<Elf64_Ehdr>(0).e_flags ^= 1;
  EXPECT_EQ(host::hash_code(bytes), before);
  const Elf64_Ehdr header = at<Elf64_Ehdr>(0);
  for (int i = 0; i < header.e_shnum; ++i) {
    const auto& section = at<Elf64_Shdr>(header.e_shoff + static_cast<std::size_t>(i) * sizeof(Elf64_Shdr));
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size > 0) bytes[section.sh_offset] ^= std::byte{1};
  }
  EXPECT_NE(host::hash_code(bytes), before);
}

}  // namespace hiptune::device_tests
