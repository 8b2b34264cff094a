#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/compiler.hpp"
#include "device/target.hpp"
#include "problem/variant.hpp"

namespace hiptune {

using Nanoseconds = std::chrono::duration<double, std::nano>;

// A backend's queue: hipStream_t, cudaStream_t; the host has only the null stream and runs each operation at once.
using Stream = void*;
// A backend's kernel handle, valid while its Module lives.
using Function = void*;

// The device refused a launch: geometry or resources. A trial's outcome `launch_failed`.
class LaunchFailure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The kernel broke a rule that only this device checks, such as a shuffle or a barrier that not every live lane
// reaches, or a race. The text names the rule and the lines. A trial's outcome `wrong`. The device stays usable.
class KernelFault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device gave up: a kernel faulted, and no call of this process succeeds any more. A worker ends with it, and the
// trial's outcome is `crashed`.
class DeviceLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What Device::time measured. `late`: the host was too slow for the device this once, and some of its cost may be in
// the time; another try need not be.
struct DeviceTime {
  Nanoseconds time{0};
  bool late = false;
};

// A loaded code object. Unloads when destroyed; no launch of it may be in flight then.
class Module {
 public:
  virtual ~Module() = default;
  // Throws Error(failed) when the code object has no such entry point.
  [[nodiscard]] virtual Function function(const std::string& entry) = 0;
};

// What a device that can choose does where a kernel may not rely on anything: the order of the blocks of a grid and of
// the threads of a block between two barriers, and what LDS holds at first.
struct Schedule {
  enum class Order { forward, backward, shuffled };
  Order order = Order::forward;
  std::uint64_t seed = 0;
  std::byte unwritten_lds{0xff};  // all ones is a NaN of every floating type
};

// Which end of an allocation touches memory that nobody can access. Behind: its last byte; before: its first.
enum class Pages { none, behind, before };

// Memory that a kernel may touch: `rows` rows of `row_bytes`, which begin `stride_bytes` apart; not what lies between
// them. No two of them overlap: memory that is input and output is one writable buffer.
struct WatchedBuffer {
  std::string name;
  const void* first = nullptr;
  std::int64_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t stride_bytes = 0;  // at least row_bytes, where there are several rows
  bool writable = false;
};

// One GPU, or the CPU. Launches from several threads are safe; everything else is for one thread at a time unless a
// function says more. Vendor errors reach the caller as Error(failed), or as DeviceLost where nothing can follow, with
// the call and the vendor's text.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const Target& target() const = 0;

  // At least 256-byte aligned, except on a device with Pages::behind, where only the end of the memory is aligned, at a
  // page: `bytes` must then be a multiple of the alignment wanted. Throws Error(failed) when out of memory. Any thread,
  // and while a stream is captured.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  // Memory of which only little will be touched, released by its size. A CPU takes no more than what is touched; to
  // others it is memory like any, of which `sparse_bytes` may be asked for in all.
  [[nodiscard]] virtual void* allocate_sparse(std::size_t bytes) { return allocate(bytes); }
  virtual void release_sparse(void* memory, std::size_t) noexcept { release(memory); }
  [[nodiscard]] virtual double sparse_bytes() const { return static_cast<double>(target().memory_bytes) / 2; }
  // Ordered on the stream; `from`/`to` in host memory may be reused once the stream is synchronized.
  virtual void copy_in(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void copy_out(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void fill(void* to, std::byte value, std::size_t bytes, Stream stream) = 0;

  // Throws Error(failed) when the code object does not load.
  [[nodiscard]] virtual std::unique_ptr<Module> load(const CodeObject& code) = 0;

  // `arguments` points to the values, in the entry point's order, as in hipModuleLaunchKernel. Hot path: does not
  // allocate. A grid with 0 blocks is a LaunchFailure. Throws LaunchFailure or KernelFault. Any thread.
  virtual void launch(Function function, const Geometry& geometry, void* const* arguments, Stream stream) = 0;

  // Waits for the stream (null: for everything on the device's default stream); failures of its launches surface here
  // at the latest.
  virtual void synchronize(Stream stream) = 0;

  // Device time of what `enqueue` puts on the stream, the host's own cost of launching excluded (events around a
  // graph's replay, or a blocked queue). Waits for the end.
  [[nodiscard]] virtual DeviceTime time(const std::function<void(Stream)>& enqueue) = 0;

  // The present clock of what executes kernels, in MHz; none where it cannot be read. An idle device may clock down, so
  // that it tells something right after work only.
  [[nodiscard]] virtual std::optional<double> clock_mhz() { return std::nullopt; }

  // Only the host can honour it: GPUs order their waves as they like.
  virtual void set_schedule(const Schedule&) {}

  // From now on kernels may touch these buffers, their block's dynamic LDS and what is their own, and nothing else.
  // Where two threads touch the same byte and one of them writes it, they must be of one block with a barrier in
  // between, or of two launches; a shuffle orders nothing. Anything else is a KernelFault. Only a watched CPU can
  // honour it. Throws std::invalid_argument for buffers that overlap.
  virtual void watch(std::span<const WatchedBuffer>) {}

  // How allocate() places memory.
  [[nodiscard]] virtual Pages pages() const { return Pages::none; }
};

// Device memory with an owner. Move-only.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(Device& device, std::size_t bytes) : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory() {
    if (data_ != nullptr) device_->release(data_);
  }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// As DeviceMemory, of Device::allocate_sparse.
class SparseMemory {
 public:
  SparseMemory(Device& device, std::size_t bytes)
      : device_(&device), data_(static_cast<std::byte*>(device.allocate_sparse(bytes))), bytes_(bytes) {}
  SparseMemory(SparseMemory&& other) noexcept
      : device_(other.device_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  SparseMemory& operator=(SparseMemory&&) = delete;
  ~SparseMemory() {
    if (data_ != nullptr) device_->release_sparse(data_, bytes_);
  }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  Device* device_;
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace hiptune
