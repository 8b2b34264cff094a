#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/arguments.hpp"
#include "device/device.hpp"
#include "problem/problem_buffers.hpp"

namespace hiptune {

// Where a buffer's elements lie within its allocation: guard | row, gap | row, gap | … | row | guard.
struct BufferLayout {
  BufferShape shape;
  std::int64_t stride = 0;     // elements between rows, at least shape.cols
  std::size_t first_byte = 0;  // of element [0, 0]; before it lies the leading guard
  std::size_t bytes = 0;       // of the allocation, both guards included; 0: there is none
  ProblemBuffer buffer{};

  [[nodiscard]] std::size_t offset(std::int64_t row, std::int64_t col) const {
    return first_byte + static_cast<std::size_t>(row * stride + col) * size_of(shape.type);
  }
  [[nodiscard]] std::size_t row_bytes() const { return static_cast<std::size_t>(shape.cols) * size_of(shape.type); }
};

// Layouts of all buffers of a problem, in argument order. `padded` puts a gap after each row of the buffers that have
// a stride argument, of another width for each. A trait found by alignment is met exactly: addresses and strides are
// multiples of it, addresses of nothing larger; of elements wider than the problem's dtype, to as many of them.
// An absent buffer has no allocation; nor has the input of a call in place, which else is laid out as its output.
// With `pages` other than none the layouts are for a device that has them: a buffer's last byte, or its first, touches
// an inaccessible page, and no guards keep it from there. Addresses may then be more aligned than claimed, and up to
// the claimed alignment, or 16 bytes where no trait is about it, lies between the last byte and its page; that is a
// guard.
[[nodiscard]] std::vector<BufferLayout> buffer_layouts(const Space& space, const Problem& problem,
                                                       const TargetFacts& facts, bool padded,
                                                       Pages pages = Pages::none);

// The same without gaps, for times: where a trait claims the most alignment that it knows, buffers begin where
// allocations do, as those of most callers. Memory moves in lines that are longer than any vector, and a row that is
// aligned to a vector alone costs more of them.
[[nodiscard]] std::vector<BufferLayout> timed_layouts(const Space& space, const Problem& problem,
                                                      const TargetFacts& facts);

// Strides in the order of the space's stride arguments.
[[nodiscard]] std::vector<std::int64_t> strides_of(const Space& space, const std::vector<BufferLayout>& layouts);

// Sum of the allocations' bytes.
[[nodiscard]] std::size_t total_bytes(const std::vector<BufferLayout>& layouts);

// The address of each buffer's element [0, 0]: `own` is that of a buffer with memory of its own; that of an absent one
// is null.
template <class Own>
[[nodiscard]] std::vector<void*> addresses_of(const std::vector<BufferLayout>& layouts, const Own& own) {
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    addresses.push_back(layouts[i].buffer.is_absent ? nullptr : own(layouts[i].buffer.memory_of.value_or(i)));
  return addresses;
}

// One allocation per buffer of a problem that has memory.
class BufferSet {
 public:
  BufferSet(Device& device, const std::vector<BufferLayout>& layouts);

  // Addresses of element [0, 0], in argument order.
  [[nodiscard]] std::vector<void*> addresses() const;
  [[nodiscard]] const std::vector<BufferLayout>& layouts() const { return layouts_; }
  // Null where there is none.
  [[nodiscard]] void* allocation(std::size_t buffer) const { return buffers_[buffer].data(); }

 private:
  std::vector<BufferLayout> layouts_;
  std::vector<DeviceMemory> buffers_;
};

// A variant's workspaces, each between two guards. On a device with inaccessible pages those do the work of a guard:
// a workspace begins at its page, or ends less than 256 bytes before it, and what is left is a guard.
class WorkspaceSet {
 public:
  WorkspaceSet(Device& device, const std::vector<std::int64_t>& bytes);

  [[nodiscard]] std::vector<void*> addresses() const;
  [[nodiscard]] const std::vector<std::size_t>& bytes() const { return bytes_; }  // without guards
  // Fills the workspaces and their guards.
  void poison(std::byte value, Stream stream);
  // Whether every byte of the guards still is `guard`. Waits for the stream.
  [[nodiscard]] bool guards_intact(std::byte guard, Stream stream) const;

 private:
  Device* device_;
  std::size_t leading_guard_;       // of each, in bytes
  std::vector<std::size_t> bytes_;  // without guards
  std::vector<DeviceMemory> memory_;
};

// What the launches of a plan may touch, by the names in the space: for Device::watch. `addresses` are those of element
// [0, 0] of each buffer.
[[nodiscard]] std::vector<WatchedBuffer> watched_buffers(const Space& space, const std::vector<BufferLayout>& layouts,
                                                         const std::vector<void*>& addresses,
                                                         const WorkspaceSet& workspaces);

}  // namespace hiptune
