#pragma once

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// "hipMalloc: out of memory (hipErrorOutOfMemory)".
[[nodiscard]] std::string words_of(const char* call, hipError_t error);
// Throws DeviceLost after an error that the process cannot recover from, else Error(failed).
void check(const char* call, hipError_t error);
// Where nothing can be done about an error: the application must not meet it as its own last one.
void ignore(hipError_t error) noexcept;
// As check, but a refusal is a LaunchFailure.
void check_launch(const char* call, hipError_t error);

}  // namespace hiptune::gpu

// HIPTUNE_CALL(hipMalloc(&p, n)): the call, checked, its text in the message; the second macro sees the vendor's own
// name.
#define HIPTUNE_CALL(call) HIPTUNE_CHECKED(call)
#define HIPTUNE_CHECKED(call) ::hiptune::gpu::check(#call, call)
