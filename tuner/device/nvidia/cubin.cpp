#include "nvidia/cubin.hpp"

#include <algorithm>
#include <string_view>

#include "device/code_hash.hpp"
#include "device/elf_file.hpp"

namespace hiptune::nvidia {

namespace {

constexpr const char* kWhat = "an NVIDIA GPU";
constexpr std::size_t kLargestNumber = 8;  // bytes

// Bank 4 holds addresses of global variables, which the loader fills in, one for every variable there is.
bool is_code_or_constants(std::string_view name) {
  return name.starts_with(".text.") || (name.starts_with(".nv.constant") && !name.starts_with(".nv.constant4"));
}

void add_tables(CodeHash& hash, const ElfFile& file, std::size_t section) {
  for (const ElfSymbol& symbol : file.symbols)
    if (symbol.section == section && file.contents(symbol).size() > kLargestNumber)
      hash.add(file.sections[section].name, file.contents(symbol));
}

}  // namespace

bool has_kernel(std::span<const std::byte> cubin, const std::string& entry) {
  const ElfFile file = read_elf(cubin, kWhat);
  return std::ranges::count(file.sections, ".text." + entry, &ElfSection::name) > 0;
}

std::string hash_code(std::span<const std::byte> cubin) {
  const ElfFile file = read_elf(cubin, kWhat);
  CodeHash hash;
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    if (is_code_or_constants(file.sections[i].name))
      hash.add(file.sections[i].name, file.sections[i].contents);
    else if (file.sections[i].name == ".nv.global.init")
      add_tables(hash, file, i);
  }
  return hash.hex();
}

}  // namespace hiptune::nvidia
