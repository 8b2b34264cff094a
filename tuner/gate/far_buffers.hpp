#pragma once

#include <optional>
#include <vector>

#include "device/buffer_set.hpp"
#include "gate/inputs.hpp"

namespace hiptune {

// Buffers whose rows lie more than 2^31 elements apart on the device, though their images hold them together: an offset
// that overflows 32 bits leads elsewhere. Before the first row there is as much room again, so that a negative offset
// stays within the allocation. Little of it is touched. For one thread.
class FarBuffers {
 public:
  // `images`: padded layouts, in which a buffer with a stride of its own has gaps between its rows. Throws
  // Error(failed) when so much memory cannot be had.
  FarBuffers(Device& device, const std::vector<BufferLayout>& images);

  [[nodiscard]] static bool has_far_rows(const std::vector<BufferLayout>& images);
  // What they take of Device::sparse_bytes.
  [[nodiscard]] static double bytes_for(const std::vector<BufferLayout>& images);

  [[nodiscard]] std::vector<void*> addresses() const;
  // With the strides that the kernel is told.
  [[nodiscard]] const std::vector<BufferLayout>& layouts() const { return far_; }

  // Copies images to and from the rows; what lies between is left alone. Waits for the copies.
  void upload(const Images& images);
  [[nodiscard]] Images download() const;

 private:
  // A part of an image, and where it lies on the device.
  struct Window {
    std::size_t buffer, first, bytes;
    std::byte* place;
  };
  void add_windows(std::size_t buffer);

  Device* device_;
  std::vector<BufferLayout> images_, far_;
  std::vector<std::optional<SparseMemory>> memory_;  // none: the buffer has no memory of its own
  std::vector<Window> windows_;
};

}  // namespace hiptune
