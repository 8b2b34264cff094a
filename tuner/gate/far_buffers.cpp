#include "gate/far_buffers.hpp"

#include <algorithm>

namespace hiptune {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 31;

// Of a buffer that has a stride argument, as `padded` layouts show; others are as they were.
BufferLayout far_layout(const BufferLayout& image) {
  BufferLayout layout = image;
  if (image.shape.rows > 1 && image.stride > image.shape.cols) layout.stride += kFar;  // as aligned as before
  return layout;
}

std::size_t distance(const BufferLayout& layout) {
  return static_cast<std::size_t>(layout.stride) * size_of(layout.shape.type);
}

// One row's distance before the first row, where the rows are far apart.
std::size_t room_before(const BufferLayout& image, const BufferLayout& far) {
  return far.stride == image.stride ? 0 : distance(far);
}

std::size_t allocation(const BufferLayout& image, const BufferLayout& far) {
  if (!image.buffer.has_memory()) return 0;
  const auto gaps = static_cast<std::size_t>(std::max<std::int64_t>(image.shape.rows - 1, 0));
  return room_before(image, far) + image.bytes + gaps * (distance(far) - distance(image));
}

}  // namespace

bool FarBuffers::has_far_rows(const std::vector<BufferLayout>& images) {
  return std::ranges::any_of(images, [](const auto& image) { return far_layout(image).stride != image.stride; });
}

double FarBuffers::bytes_for(const std::vector<BufferLayout>& images) {
  double bytes = 0;
  for (const BufferLayout& image : images) bytes += static_cast<double>(allocation(image, far_layout(image)));
  return bytes;
}

FarBuffers::FarBuffers(Device& device, const std::vector<BufferLayout>& images) : device_(&device), images_(images) {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    far_.push_back(far_layout(images_[i]));
    memory_.emplace_back();
    if (images_[i].buffer.has_memory()) add_windows(i);
  }
}

// Guard and first row with its gap; each further row with its gap; the last one with the guard behind.
void FarBuffers::add_windows(std::size_t buffer) {
  const BufferLayout &image = images_[buffer], &far = far_[buffer];
  std::byte* start = memory_[buffer].emplace(*device_, allocation(image, far)).data() + room_before(image, far);
  for (std::int64_t row = 0; row < std::max<std::int64_t>(image.shape.rows, 1); ++row) {
    const std::size_t first = row == 0 ? 0 : image.offset(row, 0);
    const std::size_t end = row + 1 < image.shape.rows ? image.offset(row + 1, 0) : image.bytes;
    const std::size_t moved = static_cast<std::size_t>(row) * (distance(far) - distance(image));
    windows_.push_back({buffer, first, end - first, start + first + moved});
  }
}

std::vector<void*> FarBuffers::addresses() const {
  return addresses_of(images_, [&](std::size_t i) {
    return memory_[i]->data() + room_before(images_[i], far_[i]) + images_[i].first_byte;
  });
}

void FarBuffers::upload(const Images& images) {
  for (const Window& window : windows_)
    device_->copy_in(window.place, images[window.buffer].data() + window.first, window.bytes, nullptr);
  device_->synchronize(nullptr);
}

Images FarBuffers::download() const {
  Images images;
  for (const BufferLayout& image : images_) images.emplace_back(image.bytes, std::byte{0});
  for (const Window& window : windows_)
    device_->copy_out(images[window.buffer].data() + window.first, window.place, window.bytes, nullptr);
  device_->synchronize(nullptr);
  return images;
}

}  // namespace hiptune
