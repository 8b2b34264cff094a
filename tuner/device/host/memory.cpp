#include "device/host/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hiptune::host {

namespace {

// Before each allocation a page holds its size, so that the memory itself starts at a page.
constexpr std::size_t kPageBytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

void* map_plain(std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kPageBytes, kPageBytes + bytes) != 0) return nullptr;
  std::memcpy(memory, &bytes, sizeof(bytes));
  return static_cast<std::byte*>(memory) + kPageBytes;
}

// size | inaccessible | memory, from the left end or up to the right one | inaccessible
void* map_between_pages(std::size_t bytes, Pages pages) {
  const std::size_t payload = whole_pages(bytes);
  void* mapped = mmap(nullptr, payload + 3 * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* first = static_cast<std::byte*>(mapped);
  std::byte* memory = first + 2 * kPageBytes;
  if (mprotect(first, kPageBytes, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(memory, payload, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, payload + 3 * kPageBytes);
    return nullptr;
  }
  std::memcpy(first, &bytes, sizeof(bytes));
  return pages == Pages::before ? memory : memory + payload - std::max<std::size_t>(bytes, 1);
}

}  // namespace

void* map_memory(std::size_t bytes, Pages pages) {
  return pages == Pages::none ? map_plain(bytes) : map_between_pages(bytes, pages);
}

std::size_t unmap_memory(void* memory, Pages pages) noexcept {
  auto* first = static_cast<std::byte*>(memory);
  first -= reinterpret_cast<std::uintptr_t>(first) % kPageBytes;
  first -= pages == Pages::none ? kPageBytes : 2 * kPageBytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, first, sizeof(bytes));
  if (pages == Pages::none) {
    std::free(first);
  } else {
    munmap(first, whole_pages(bytes) + 3 * kPageBytes);
  }
  return bytes;
}

void* map_sparse(std::size_t bytes) {
  void* memory =
      mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, whole_pages(bytes), MADV_NOHUGEPAGE);  // else each row takes 2 MB
  return memory;
}

void unmap_sparse(void* memory, std::size_t bytes) noexcept { munmap(memory, whole_pages(bytes)); }

}  // namespace hiptune::host
