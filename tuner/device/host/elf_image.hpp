#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hiptune::host {

// Throws Error(failed) unless `bytes` are a whole shared library for this machine: header, program headers, section
// headers and everything they point to lie within. What passes can be handed to the dynamic loader.
void check_shared_library(std::span<const std::byte> bytes);

// XXH3-128, in hex, of names and contents of the sections with machine code (.text and its kin; not .plt) and of the
// constants that it reads (.rodata and its kin), in order. Everything else, such as symbols and relocations, does not
// count. A call site's line is an immediate in the code and does count. `bytes` must have passed the check.
[[nodiscard]] std::string hash_code(std::span<const std::byte> bytes);

}  // namespace hiptune::host
