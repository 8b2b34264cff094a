#include "device/host/elf_image.hpp"

#include <elf.h>
#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "the host device needs the ELF machine number of this architecture"
#endif

[[noreturn]] void reject(const std::string& why) { throw failed("not a code object of the host device: " + why); }

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // `count` values of type T from `offset`.
  template <class T>
  [[nodiscard]] std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
    const std::span<const std::byte> from = range(offset, count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  [[nodiscard]] std::span<const std::byte> range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) reject("truncated");
    return bytes_.subspan(offset, size);
  }
  [[nodiscard]] Elf64_Ehdr header() const { return read<Elf64_Ehdr>(0, 1).front(); }
  [[nodiscard]] std::vector<Elf64_Shdr> sections() const {
    return read<Elf64_Shdr>(header().e_shoff, header().e_shnum);
  }

 private:
  std::span<const std::byte> bytes_;
};

void check_header(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) reject("no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine) reject("made for another machine");
  if (header.e_type != ET_DYN) reject("no shared library");
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr)) reject("no program headers");
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) reject("no section headers");
  if (header.e_shstrndx >= header.e_shnum) reject("no section names");
}

bool has_code_or_constants(const Elf64_Shdr& section, std::string_view name) {
  if (section.sh_type != SHT_PROGBITS) return false;
  return name.starts_with(".rodata") || ((section.sh_flags & SHF_EXECINSTR) != 0 && !name.starts_with(".plt"));
}

std::string hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace

void check_shared_library(std::span<const std::byte> bytes) {
  const Reader reader(bytes);
  const Elf64_Ehdr header = reader.header();
  check_header(header);
  for (const Elf64_Phdr& segment : reader.read<Elf64_Phdr>(header.e_phoff, header.e_phnum))
    static_cast<void>(reader.range(segment.p_offset, segment.p_filesz));
  for (const Elf64_Shdr& section : reader.sections())
    if (section.sh_type != SHT_NOBITS) static_cast<void>(reader.range(section.sh_offset, section.sh_size));
}

std::string hash_code(std::span<const std::byte> bytes) {
  const Reader reader(bytes);
  const std::vector<Elf64_Shdr> sections = reader.sections();
  const Elf64_Shdr& table = sections.at(reader.header().e_shstrndx);
  std::string names(table.sh_size, '\0');
  std::memcpy(names.data(), reader.range(table.sh_offset, table.sh_size).data(), names.size());

  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size()) continue;
    const std::string_view name = names.c_str() + section.sh_name;
    if (!has_code_or_constants(section, name)) continue;
    const std::span<const std::byte> contents = reader.range(section.sh_offset, section.sh_size);
    XXH3_128bits_update(state.get(), name.data(), name.size() + 1);
    XXH3_128bits_update(state.get(), contents.data(), contents.size());
  }
  return hex(XXH3_128bits_digest(state.get()));
}

}  // namespace hiptune::host
