#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hiptune::nvidia {

// Whether a cubin has the kernel `entry`. Throws Error(failed) when it is no ELF file.
[[nodiscard]] bool has_kernel(std::span<const std::byte> cubin, const std::string& entry);

// XXH3-128, in hex, of names and contents of the sections with machine code (.text.*) and constants (.nv.constant*),
// and of tables in global memory (.nv.global.init). Single numbers there do not count: NVRTC stores every `constexpr
// int` of a header, also where the code has it as an immediate or not at all. Throws Error(failed) when it is no ELF
// file.
[[nodiscard]] std::string hash_code(std::span<const std::byte> cubin);

}  // namespace hiptune::nvidia
