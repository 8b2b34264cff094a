#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "device/compiler.hpp"

namespace hiptune::amd {

struct KernelMetadata {
  Resources resources;
  std::optional<int> wave_size;
};

// What the compiler says of each kernel of a code object, by the kernel's name: the NT_AMDGPU_METADATA note
// (https://llvm.org/docs/AMDGPUUsage.html#code-object-v3-metadata). A key that is not there is none and never 0. Throws
// Error(failed) when `code` is no code object of an AMD GPU or is damaged.
[[nodiscard]] std::map<std::string, KernelMetadata> metadata_of(std::span<const std::byte> code);

// XXH3-128, in hex, of names and contents of the sections that are loaded and hold code, kernel descriptors or
// constants. A descriptor's distance to its code is replaced by the code's place in .text: the distance also depends
// on what lies between them, such as the length of names. Throws Error(failed) when the code object is damaged.
[[nodiscard]] std::string isa_hash_of(std::span<const std::byte> code);

}  // namespace hiptune::amd
