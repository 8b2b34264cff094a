#include "amd/code_object.hpp"

#include <elf.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "device/code_hash.hpp"
#include "device/elf_file.hpp"
#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

using Json = nlohmann::json;

constexpr std::uint16_t kMachine = 224;         // EM_AMDGPU
constexpr std::uint32_t kMetadataNote = 32;     // NT_AMDGPU_METADATA
constexpr std::uint64_t kDescriptorBytes = 64;  // llvm::amdhsa::kernel_descriptor_t
constexpr std::uint64_t kEntryOffset = 16;      // of its kernel_code_entry_byte_offset, 8 bytes, from its own start

[[noreturn]] void reject(const std::string& why) { throw failed("not a code object of an AMD GPU: " + why); }

ElfFile read(std::span<const std::byte> code) {
  ElfFile file = read_elf(code, "an AMD GPU");
  if (file.machine != kMachine) reject("made for another machine");
  return file;
}

// Ends the reading of a document that nests deeper than any metadata does: the reader recurses, and a stack is finite.
class DepthLimit : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kDeepest; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ <= kDeepest; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static constexpr int kDeepest = 16;  // a list of kernels, of objects, of lists of arguments, of objects
  int depth_ = 0;
};

Json metadata_note(const ElfFile& file) {
  for (const ElfNote& note : file.notes) {
    if (note.owner != "AMDGPU" || note.type != kMetadataNote) continue;
    const auto* first = reinterpret_cast<const std::uint8_t*>(note.contents.data());
    const auto* last = first + note.contents.size();
    DepthLimit limit;
    if (!Json::sax_parse(first, last, &limit, Json::input_format_t::msgpack))
      reject("its metadata is no MessagePack, or nests too deep");
    return Json::from_msgpack(first, last);
  }
  reject("it has no metadata");
}

std::optional<int> number(const Json& kernel, const char* key) {
  const auto found = kernel.find(key);
  if (found == kernel.end()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (!found->is_number_integer() || value < 0 || value > std::numeric_limits<int>::max())
    reject(std::string(key) + " of its metadata is " + found->dump());
  return static_cast<int>(value);
}

KernelMetadata kernel_metadata(const Json& kernel) {
  KernelMetadata metadata;
  metadata.resources.vgprs = number(kernel, ".vgpr_count");
  metadata.resources.sgprs = number(kernel, ".sgpr_count");
  metadata.resources.lds_bytes = number(kernel, ".group_segment_fixed_size");
  metadata.resources.scratch_bytes = number(kernel, ".private_segment_fixed_size");
  const auto vgprs = number(kernel, ".vgpr_spill_count"), sgprs = number(kernel, ".sgpr_spill_count");
  if (vgprs && sgprs) metadata.resources.spilled_registers = *vgprs + *sgprs;
  metadata.wave_size = number(kernel, ".wavefront_size");
  return metadata;
}

bool counts(const ElfSection& section) { return section.type == SHT_PROGBITS && (section.flags & SHF_ALLOC) != 0; }

// The section that holds the code at an address.
const ElfSection* code_section(const ElfFile& file, std::uint64_t address) {
  for (const ElfSection& section : file.sections)
    if ((section.flags & SHF_EXECINSTR) != 0 && address - section.address < section.contents.size()) return &section;
  return nullptr;
}

// Replaces the distance in a descriptor, which begins at `offset` of its section's contents.
void place_entry(const ElfFile& file, const ElfSymbol& descriptor, std::vector<std::byte>& contents) {
  std::byte* entry = contents.data() + (descriptor.address - file.sections[descriptor.section].address) + kEntryOffset;
  std::uint64_t value = 0;
  std::memcpy(&value, entry, sizeof(value));
  const ElfSection* section = code_section(file, descriptor.address + value);
  if (section == nullptr) reject("'" + descriptor.name + "' points to no code");
  value = descriptor.address + value - section->address;
  std::memcpy(entry, &value, sizeof(value));
}

std::vector<std::byte> contents_to_hash(const ElfFile& file, std::size_t section) {
  const std::span<const std::byte> given = file.sections[section].contents;
  std::vector<std::byte> contents(given.begin(), given.end());
  for (const ElfSymbol& symbol : file.symbols)
    if (symbol.section == section && symbol.name.ends_with(".kd") && file.contents(symbol).size() == kDescriptorBytes)
      place_entry(file, symbol, contents);
  return contents;
}

}  // namespace

std::map<std::string, KernelMetadata> metadata_of(std::span<const std::byte> code) {
  std::map<std::string, KernelMetadata> kernels;
  try {
    const Json metadata = metadata_note(read(code));
    for (const Json& kernel : metadata.at("amdhsa.kernels"))
      kernels[kernel.at(".name").get<std::string>()] = kernel_metadata(kernel);
  } catch (const Json::exception& error) {
    reject(std::string("its metadata cannot be read (") + error.what() + ")");
  }
  return kernels;
}

std::string isa_hash_of(std::span<const std::byte> code) {
  const ElfFile file = read(code);
  CodeHash hash;
  for (std::size_t i = 0; i < file.sections.size(); ++i)
    if (counts(file.sections[i])) hash.add(file.sections[i].name, contents_to_hash(file, i));
  return hash.hex();
}

}  // namespace hiptune::amd
