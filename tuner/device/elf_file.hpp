#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hiptune {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;   // SHT_PROGBITS, …
  std::uint64_t flags = 0;  // SHF_EXECINSTR, …
  std::uint64_t address = 0;
  std::span<const std::byte> contents;  // empty for SHT_NOBITS
};

struct ElfNote {
  std::string owner;
  std::uint32_t type = 0;
  std::span<const std::byte> contents;
};

// A symbol that a section of the file defines.
struct ElfSymbol {
  std::string name;
  std::size_t section = 0;  // an index of ElfFile::sections
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

// A 64-bit ELF file in memory: what every backend's code objects are. Refers to the bytes that it was read from.
struct ElfFile {
  std::uint16_t machine = 0;  // EM_X86_64, …
  std::uint16_t type = 0;     // ET_DYN, …
  std::size_t segments = 0;
  std::vector<ElfSection> sections;  // all, the first is empty
  std::vector<ElfNote> notes;
  std::vector<ElfSymbol> symbols;  // of .symtab

  // The contents of a symbol within its section; empty when it does not lie in it.
  [[nodiscard]] std::span<const std::byte> contents(const ElfSymbol& symbol) const;
};

// Throws Error(failed), "not a code object of WHAT: …", unless the header, every segment and every section lie within
// `bytes` and names, notes and symbols can be read. Any thread.
[[nodiscard]] ElfFile read_elf(std::span<const std::byte> bytes, const std::string& what);

}  // namespace hiptune
