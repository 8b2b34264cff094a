#pragma once

#include <memory>

#include "device/buffer_set.hpp"
#include "device/device.hpp"
#include "gate/inputs.hpp"
#include "problem/kernel.hpp"
#include "problem/variant.hpp"

namespace hiptune {

// What an inspection found. `errors` as in compare(); places are elements in row order, or cells of the allocation; -1:
// there is none.
struct Finding {
  double absolute = 0, relative = 0, in_limits = 0;
  std::int64_t worst = -1;
  std::int64_t damaged = -1;
  std::int64_t modified = -1;
  std::int64_t other = -1;
};

// The kernels of a DeviceChecker for a target. Throws Error(failed) with the compiler's log.
[[nodiscard]] CodeObject compile_checker(const Target& target, Compiler& compiler, const SourceFile& device_layer);

// Sets up and judges a buffer on the device that holds it, so that gigabytes need not cross to the CPU for each
// variant. For one thread.
class DeviceChecker {
 public:
  // Compiles its kernels; throws Error(failed) when they do not compile or load.
  DeviceChecker(Device& device, Compiler& compiler, const SourceFile& device_layer);

  // Elements become those of `source`, an image of the same layout, or where it is null `fill.element`.
  void paint(void* image, const BufferLayout& layout, const void* source, const Fill& fill);

  struct Expected {
    const void* source = nullptr;   // of an input: the image whose elements it must still hold
    const void* oracle = nullptr;   // of an output: its right elements, dense doubles
    const void* earlier = nullptr;  // of an output: an image whose elements it must equal bit for bit
    std::byte around{0};            // every byte that is no element
    Limit limit{};
  };
  // Waits for the answer.
  [[nodiscard]] Finding inspect(const void* image, const BufferLayout& layout, const Expected& expected);

 private:
  Device* device_;
  std::unique_ptr<Module> module_;
  Function paint_ = nullptr, inspect_ = nullptr;
  DeviceMemory findings_;
};

}  // namespace hiptune
