#include "device/elf_file.hpp"

#include <gelf.h>
#include <libelf.h>

#include <memory>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

// Reads one file with libelf. Ranges are checked here, so that what it then reads is there.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& what) : bytes_(bytes), what_(what), elf_(open()) {
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF) reject("no ELF file");
    if (gelf_getehdr(elf_.get(), &header_) == nullptr || gelf_getclass(elf_.get()) != ELFCLASS64)
      reject("no ELF file of 64 bits");
    check_header();
  }

  [[nodiscard]] const GElf_Ehdr& header() const { return header_; }
  void check_segments() const;
  [[nodiscard]] std::vector<ElfSection> sections() const;
  void add_notes(std::size_t section, std::vector<ElfNote>& notes) const;
  void add_symbols(std::size_t section, std::vector<ElfSymbol>& symbols) const;

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  [[noreturn]] void reject(const std::string& why) const { throw failed("not a code object of " + what_ + ": " + why); }
  [[nodiscard]] std::span<const std::byte> range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) reject("truncated");
    return bytes_.subspan(offset, size);
  }
  // libelf only reads, although it takes memory that could be written.
  [[nodiscard]] std::unique_ptr<Elf, End> open() const {
    elf_version(EV_CURRENT);
    if (bytes_.size() < sizeof(Elf64_Ehdr)) reject("truncated");
    auto* image = const_cast<char*>(reinterpret_cast<const char*>(bytes_.data()));
    return std::unique_ptr<Elf, End>(elf_memory(image, bytes_.size()));
  }
  void check_header() const;
  [[nodiscard]] Elf_Scn* section(std::size_t index) const {
    Elf_Scn* found = elf_getscn(elf_.get(), index);
    if (found == nullptr) reject(elf_errmsg(-1));
    return found;
  }
  [[nodiscard]] GElf_Shdr section_header(std::size_t index) const {
    GElf_Shdr header{};
    if (gelf_getshdr(section(index), &header) == nullptr) reject(elf_errmsg(-1));
    return header;
  }
  [[nodiscard]] Elf_Data& data(std::size_t index) const {
    Elf_Data* found = elf_getdata(section(index), nullptr);
    if (found == nullptr) reject(elf_errmsg(-1));
    return *found;
  }
  [[nodiscard]] std::string name(std::size_t table, std::size_t offset) const {
    const char* found = elf_strptr(elf_.get(), table, offset);
    if (found == nullptr) reject("a name is not in its table");
    return found;
  }

  std::span<const std::byte> bytes_;
  std::string what_;
  std::unique_ptr<Elf, End> elf_;
  GElf_Ehdr header_{};
};

void Reader::check_header() const {
  if (header_.e_phnum > 0 && header_.e_phentsize != sizeof(Elf64_Phdr)) reject("no program headers");
  if (header_.e_shnum == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) reject("no section headers");
  if (header_.e_shstrndx >= header_.e_shnum) reject("no section names");
  static_cast<void>(range(header_.e_phoff, header_.e_phnum * sizeof(Elf64_Phdr)));
  static_cast<void>(range(header_.e_shoff, header_.e_shnum * sizeof(Elf64_Shdr)));
}

void Reader::check_segments() const {
  for (int i = 0; i < header_.e_phnum; ++i) {
    GElf_Phdr segment{};
    if (gelf_getphdr(elf_.get(), i, &segment) == nullptr) reject(elf_errmsg(-1));
    static_cast<void>(range(segment.p_offset, segment.p_filesz));
  }
}

std::vector<ElfSection> Reader::sections() const {
  std::vector<ElfSection> all;
  for (std::size_t i = 0; i < header_.e_shnum; ++i) {
    const GElf_Shdr given = section_header(i);
    ElfSection& added = all.emplace_back();
    added.type = given.sh_type;
    added.flags = given.sh_flags;
    added.address = given.sh_addr;
    if (given.sh_type != SHT_NOBITS && given.sh_type != SHT_NULL)
      added.contents = range(given.sh_offset, given.sh_size);
  }
  // All ranges are checked now, the table of names too.
  for (std::size_t i = 1; i < all.size(); ++i) all[i].name = name(header_.e_shstrndx, section_header(i).sh_name);
  return all;
}

void Reader::add_notes(std::size_t section, std::vector<ElfNote>& notes) const {
  Elf_Data& from = data(section);
  const auto* first = static_cast<const std::byte*>(from.d_buf);
  GElf_Nhdr given{};
  std::size_t owner = 0, contents = 0;
  const std::uint64_t offset = section_header(section).sh_offset;
  for (std::size_t at = 0; at < from.d_size;) {
    const std::size_t next = gelf_getnote(&from, at, &given, &owner, &contents);
    if (next == 0) reject("a note is damaged");
    std::string name(reinterpret_cast<const char*>(first + owner), given.n_namesz);
    name.resize(name.find_last_not_of('\0') + 1);
    notes.push_back({std::move(name), given.n_type, range(offset + contents, given.n_descsz)});
    at = next;
  }
}

void Reader::add_symbols(std::size_t section, std::vector<ElfSymbol>& symbols) const {
  const GElf_Shdr table = section_header(section);
  Elf_Data& from = data(section);
  for (int i = 0; static_cast<std::size_t>(i) < from.d_size / sizeof(Elf64_Sym); ++i) {
    GElf_Sym given{};
    if (gelf_getsym(&from, i, &given) == nullptr) reject(elf_errmsg(-1));
    if (given.st_shndx == SHN_UNDEF || given.st_shndx >= header_.e_shnum) continue;
    symbols.push_back({name(table.sh_link, given.st_name), given.st_shndx, given.st_value, given.st_size});
  }
}

}  // namespace

std::span<const std::byte> ElfFile::contents(const ElfSymbol& symbol) const {
  const ElfSection& section = sections.at(symbol.section);
  const std::uint64_t offset = symbol.address - section.address;
  const bool inside = symbol.address >= section.address && offset <= section.contents.size() &&
                      symbol.size <= section.contents.size() - offset;
  return inside ? section.contents.subspan(offset, symbol.size) : std::span<const std::byte>();
}

ElfFile read_elf(std::span<const std::byte> bytes, const std::string& what) {
  const Reader reader(bytes, what);
  reader.check_segments();
  ElfFile file;
  file.machine = reader.header().e_machine;
  file.type = reader.header().e_type;
  file.segments = reader.header().e_phnum;
  file.sections = reader.sections();
  for (std::size_t i = 1; i < file.sections.size(); ++i) {
    if (file.sections[i].type == SHT_NOTE) reader.add_notes(i, file.notes);
    if (file.sections[i].type == SHT_SYMTAB) reader.add_symbols(i, file.symbols);
  }
  return file;
}

}  // namespace hiptune
