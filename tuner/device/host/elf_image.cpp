#include "device/host/elf_image.hpp"

#include <elf.h>

#include "device/code_hash.hpp"
#include "device/elf_file.hpp"
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

constexpr const char* kWhat = "the host device";

void require(bool condition, const char* otherwise) {
  if (!condition) throw failed(std::string("not a code object of ") + kWhat + ": " + otherwise);
}

bool has_code_or_constants(const ElfSection& section) {
  if (section.type != SHT_PROGBITS) return false;
  return section.name.starts_with(".rodata") ||
         ((section.flags & SHF_EXECINSTR) != 0 && !section.name.starts_with(".plt"));
}

}  // namespace

void check_shared_library(std::span<const std::byte> bytes) {
  const ElfFile file = read_elf(bytes, kWhat);
  require(file.machine == kMachine, "made for another machine");
  require(file.type == ET_DYN, "no shared library");
  require(file.segments > 0, "no program headers");
}

std::string hash_code(std::span<const std::byte> bytes) {
  const ElfFile file = read_elf(bytes, kWhat);
  CodeHash hash;
  for (const ElfSection& section : file.sections)
    if (has_code_or_constants(section)) hash.add(section.name, section.contents);
  return hash.hex();
}

}  // namespace hiptune::host
