#include "device/host/module.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>

#include "device/host/abi.hpp"
#include "device/host/block_runner.hpp"
#include "device/host/elf_image.hpp"
#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

// A file in memory, gone when closed and no longer mapped.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : descriptor_(memfd_create("hiptune-module", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw failed(std::string("memfd_create: ") + std::strerror(errno));
    while (!bytes.empty()) bytes = bytes.subspan(write_some(bytes));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // A path that no other file has had. The dynamic loader takes a library with the path of one still loaded for that
  // one, and descriptors are used again; but "/" can be spelt "/./" without meaning another file.
  [[nodiscard]] std::string unique_path() const {
    static std::atomic<unsigned> serial{0};
    std::string path = "/proc/self/fd";
    for (unsigned bits = ++serial; bits != 0; bits >>= 1) path += (bits & 1U) != 0 ? "/." : "/";
    return path + "/" + std::to_string(descriptor_);
  }

 private:
  [[nodiscard]] std::size_t write_some(std::span<const std::byte> bytes) const {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    const int error = errno;
    if (error == EINTR) return 0;
    close(descriptor_);
    throw failed(std::string("cannot write a code object to memory: ") + std::strerror(error));
  }
  int descriptor_;
};

void* open_library(std::span<const std::byte> bytes) {
  check_shared_library(bytes);
  const MemoryFile file(bytes);
  void* library = dlopen(file.unique_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw failed(std::string("cannot load a code object: ") + dlerror());
  return library;
}

// How far the segments of a library that was loaded at `first` reach, in bytes.
std::size_t loaded_bytes(ElfW(Addr) first) {
  struct Search {
    ElfW(Addr) first;
    std::size_t bytes;
  } search{first, 0};
  const auto visit = [](dl_phdr_info* library, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (library->dlpi_addr != wanted.first) return 0;
    for (const ElfW(Phdr) & segment : std::span(library->dlpi_phdr, library->dlpi_phnum))
      if (segment.p_type == PT_LOAD)
        wanted.bytes = std::max<std::size_t>(wanted.bytes, segment.p_vaddr + segment.p_memsz);
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.bytes;
}

std::span<const std::byte> image_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) throw failed(std::string("dlinfo: ") + dlerror());
  return {reinterpret_cast<const std::byte*>(map->l_addr), loaded_bytes(map->l_addr)};
}

std::string described(int wave_size, bool watched) {
  return "waves of " + std::to_string(wave_size) + " lanes" + (watched ? " and is watched" : "");
}

}  // namespace

HostModule::HostModule(const CodeObject& code, int wave_size, bool watched)
    : library_(open_library(code.bytes), [](void* library) { dlclose(library); }), image_(image_of(library_.get())) {
  connect(wave_size, watched);
  if (watched) file_ = code.bytes;
}

void* HostModule::symbol(const std::string& name) const { return dlsym(library_.get(), name.c_str()); }

void HostModule::connect(int wave_size, bool watched) {
  auto* info = static_cast<ModuleInfo*>(symbol("hiptune_host_module"));
  if (info == nullptr) throw failed("not a code object of the host device: no hiptune_host_module");
  if (info->abi_version != kAbiVersion)
    throw failed("the code object was made by another version of hiptune; compile it again");
  if (info->wave_size != wave_size || info->is_watched != watched)
    throw failed("the code object has " + described(info->wave_size, info->is_watched) + ", the device has " +
                 described(wave_size, watched) + "; compile it for the device's architecture");
  info->runtime = &BlockRunner::runtime();
}

Function HostModule::function(const std::string& entry) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<KernelEntry>& found = entries_[entry];
  if (found) return found.get();
  void* address = symbol("hiptune_entry_" + entry);
  if (address == nullptr) throw failed("the code object has no entry point '" + entry + "'");
  found = std::make_unique<KernelEntry>(KernelEntry{entry, reinterpret_cast<void (*)(void* const*)>(address), this});
  return found.get();
}

}  // namespace hiptune::host
