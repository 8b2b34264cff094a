#include "nvidia/cubin.hpp"

#include <gelf.h>
#include <libelf.h>
#include <xxhash.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "hiptune/error.hpp"

namespace hiptune::nvidia {

namespace {

constexpr std::size_t kLargestNumber = 8;  // bytes

struct Section {
  std::string_view name;
  std::size_t index;
  GElf_Shdr header;
  std::span<const std::byte> bytes;  // empty where the file holds none
};

struct Symbol {
  std::string_view name;
  GElf_Sym entry;
};

// What NVRTC gave is trusted to be whole; libelf checks that all lies within the bytes.
class Cubin {
 public:
  explicit Cubin(std::span<const std::byte> bytes) : elf_(nullptr, &elf_end) {
    elf_version(EV_CURRENT);
    // Only read, in spite of the parameter's type.
    auto* image = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
    elf_.reset(elf_memory(image, bytes.size()));
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF) reject();
    if (elf_getshdrstrndx(elf_.get(), &names_) != 0) reject();
  }

  [[nodiscard]] std::vector<Section> sections() const {
    std::vector<Section> all;
    for (Elf_Scn* scn = elf_nextscn(elf_.get(), nullptr); scn != nullptr; scn = elf_nextscn(elf_.get(), scn)) {
      GElf_Shdr header;
      if (gelf_getshdr(scn, &header) == nullptr) reject();
      all.push_back({text(names_, header.sh_name), elf_ndxscn(scn), header, bytes_of(scn, header)});
    }
    return all;
  }

  [[nodiscard]] std::vector<Symbol> symbols() const {
    std::vector<Symbol> all;
    for (const Section& section : sections()) {
      if (section.header.sh_type != SHT_SYMTAB || section.header.sh_entsize == 0) continue;
      Elf_Data* data = elf_getdata(elf_getscn(elf_.get(), section.index), nullptr);
      const auto count = static_cast<int>(section.header.sh_size / section.header.sh_entsize);
      for (int i = 0; i < count; ++i) {
        GElf_Sym entry;
        if (gelf_getsym(data, i, &entry) == nullptr) reject();
        all.push_back({text(section.header.sh_link, entry.st_name), entry});
      }
    }
    return all;
  }

 private:
  [[noreturn]] static void reject() {
    throw failed(std::string("not a code object of an NVIDIA GPU: ") + elf_errmsg(-1));
  }
  [[nodiscard]] std::string_view text(std::size_t table, std::size_t offset) const {
    const char* found = elf_strptr(elf_.get(), table, offset);
    return found == nullptr ? std::string_view() : std::string_view(found);
  }
  [[nodiscard]] static std::span<const std::byte> bytes_of(Elf_Scn* scn, const GElf_Shdr& header) {
    if (header.sh_type == SHT_NOBITS || header.sh_size == 0) return {};
    const Elf_Data* data = elf_rawdata(scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) reject();
    return {static_cast<const std::byte*>(data->d_buf), data->d_size};
  }

  std::unique_ptr<Elf, int (*)(Elf*)> elf_;
  std::size_t names_ = 0;  // the section with the sections' names
};

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) { XXH3_128bits_reset(state_.get()); }
  void add(std::string_view name, std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_.get(), name.data(), name.size());
    XXH3_128bits_update(state_.get(), "", 1);
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  [[nodiscard]] std::string hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    char text[33];
    std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text;
  }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

// Bank 4 holds addresses of global variables, which the loader fills in, one for every variable there is.
bool is_code_or_constants(std::string_view name) {
  return name.starts_with(".text.") || (name.starts_with(".nv.constant") && !name.starts_with(".nv.constant4"));
}

void add_tables(Hash& hash, const std::vector<Symbol>& symbols, const Section& section) {
  for (const auto& [name, symbol] : symbols) {
    const bool is_table = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > kLargestNumber;
    if (symbol.st_shndx != section.index || !is_table) continue;
    const std::size_t size = section.bytes.size();
    if (symbol.st_value > size || symbol.st_size > size - symbol.st_value) continue;
    hash.add(section.name, section.bytes.subspan(symbol.st_value, symbol.st_size));
  }
}

}  // namespace

bool has_kernel(std::span<const std::byte> cubin, const std::string& entry) {
  const Cubin file(cubin);
  const std::string code = ".text." + entry;
  for (const Section& section : file.sections())
    if (section.name == code) return true;
  return false;
}

std::string hash_code(std::span<const std::byte> cubin) {
  const Cubin file(cubin);
  const std::vector<Symbol> symbols = file.symbols();
  Hash hash;
  for (const Section& section : file.sections()) {
    if (is_code_or_constants(section.name))
      hash.add(section.name, section.bytes);
    else if (section.name == ".nv.global.init")
      add_tables(hash, symbols, section);
  }
  return hash.hex();
}

}  // namespace hiptune::nvidia
