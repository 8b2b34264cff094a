#pragma once

#include <cstddef>

#include "device/device.hpp"

// Memory from the system that remembers its size.
namespace hiptune::host {

// With Pages::none it starts at a page. Otherwise it ends (behind) or begins (before) at one that nobody can access,
// and there is such a page at the other end as well, up to a page away. nullptr when there is no memory.
[[nodiscard]] void* map_memory(std::size_t bytes, Pages pages);

// Returns the size. `memory` is of map_memory with the same `pages`.
std::size_t unmap_memory(void* memory, Pages pages) noexcept;

// Address space in which a page takes memory once it is touched. nullptr when there is none.
[[nodiscard]] void* map_sparse(std::size_t bytes);
void unmap_sparse(void* memory, std::size_t bytes) noexcept;

}  // namespace hiptune::host
