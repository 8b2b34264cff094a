#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "device/device.hpp"
#include "runtime_names.hpp"  // amd/ or nvidia/: the vendor's runtime API under HIP's names

// What the two GPU backends do differently behind the runtime calls that they share; each has a runtime.cpp.
namespace hiptune::gpu {

extern const char* const kBackend;  // "amd", "nvidia"

// A loaded code object and a kernel of it, as the vendor's handles.
using Library = void*;
using Kernel = void*;

// Everything of a target but its id.
[[nodiscard]] Target describe(int device);
// See Device::clock_mhz. Never an error.
[[nodiscard]] std::optional<double> clock_mhz(int device);
// Why hipGetDeviceCount failed or found nothing, and what to do about it.
[[nodiscard]] std::string why_no_device(hipError_t error);
// After such an error no call of this process succeeds any more.
[[nodiscard]] bool is_fatal(hipError_t error);
// Likewise, where it came from the launch itself and not from one before.
[[nodiscard]] bool is_fatal_of_launch(hipError_t error);

[[nodiscard]] hipError_t load(Library& library, std::span<const std::byte> code);
void unload(Library library) noexcept;
// The kernel may use all of the target's LDS afterwards.
[[nodiscard]] hipError_t find_kernel(Kernel& kernel, Library library, const std::string& entry,
                                     const TargetFacts& facts);
[[nodiscard]] hipError_t launch(Kernel kernel, const Geometry& geometry, void* const* arguments, hipStream_t stream);
// Ready to be launched on the stream: whatever can be done before a launch is done, or enqueued there.
[[nodiscard]] hipError_t instantiate(hipGraphExec_t& executable, hipGraph_t graph, hipStream_t stream);

}  // namespace hiptune::gpu
