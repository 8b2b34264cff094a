#include "device/buffer_set.hpp"

#include <algorithm>

namespace hiptune {
namespace {

constexpr std::size_t kGuardBytes = 4096;    // an overrun by a row of a thousand elements still lands in it
constexpr std::size_t kBaseAlignment = 256;  // what Device::allocate promises
constexpr std::int64_t kPadElements = 3;     // a gap that is not a multiple of any vector, and odd as the next ones

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// The alignment in bytes that the problem's traits claim; the base alignment when no trait is about it.
std::size_t claimed_alignment(const Space& space, const Problem& problem) {
  for (const Trait& trait : space.traits)
    if (trait.source == TraitSource::alignment)
      return static_cast<std::size_t>(std::get<std::int64_t>(*find(problem.traits, trait.name)));
  return kBaseAlignment;
}

bool has_stride(const Space& space, const std::string& buffer) {
  return std::any_of(space.arguments.begin(), space.arguments.end(), [&](const Argument& argument) {
    const auto* stride = std::get_if<StrideArgument>(&argument);
    return stride != nullptr && stride->buffer == buffer;
  });
}

// The smallest stride that keeps every row as aligned as claimed, and `padding` times that alignment more.
std::int64_t stride_for(const BufferShape& shape, std::size_t alignment, bool strided, std::int64_t padding) {
  if (!strided) return shape.cols;
  const auto unit = alignment == kBaseAlignment
                        ? std::int64_t{1}
                        : std::max<std::int64_t>(1, static_cast<std::int64_t>(alignment / size_of(shape.type)));
  const std::int64_t dense = (shape.cols + unit - 1) / unit * unit;
  return dense + unit * padding;
}

BufferLayout layout_of(const BufferShape& shape, std::size_t alignment, bool strided, std::int64_t padding) {
  BufferLayout layout{shape, stride_for(shape, alignment, strided, padding), 0, 0};
  layout.first_byte = round_up(kGuardBytes, kBaseAlignment) + (alignment < kBaseAlignment ? alignment : 0);
  const auto payload = static_cast<std::size_t>(shape.span(layout.stride)) * size_of(shape.type);
  layout.bytes = round_up(layout.first_byte + payload + kGuardBytes, size_of(Dtype::f64));
  return layout;
}

}  // namespace

std::vector<BufferLayout> buffer_layouts(const Space& space, const Problem& problem, const TargetFacts& facts,
                                         bool padded) {
  const std::vector<BufferShape> shapes = buffer_shapes(space, problem, facts);
  const std::vector<const BufferArgument*> buffers = space.buffers();
  std::vector<BufferLayout> layouts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    // Each buffer has a stride of its own: a kernel that takes another's must not be right by chance.
    const std::int64_t padding = padded ? kPadElements + 2 * static_cast<std::int64_t>(i) : 0;
    layouts.push_back(
        layout_of(shapes[i], claimed_alignment(space, problem), has_stride(space, buffers[i]->name), padding));
  }
  return layouts;
}

std::vector<std::int64_t> strides_of(const Space& space, const std::vector<BufferLayout>& layouts) {
  const std::vector<const BufferArgument*> buffers = space.buffers();
  std::vector<std::int64_t> strides;
  for (const Argument& argument : space.arguments) {
    const auto* stride = std::get_if<StrideArgument>(&argument);
    if (stride == nullptr) continue;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i]->name == stride->buffer) strides.push_back(layouts[i].stride);
  }
  return strides;
}

std::size_t total_bytes(const std::vector<BufferLayout>& layouts) {
  std::size_t bytes = 0;
  for (const BufferLayout& layout : layouts) bytes += layout.bytes;
  return bytes;
}

BufferSet::BufferSet(Device& device, const std::vector<BufferLayout>& layouts) : layouts_(layouts) {
  for (const BufferLayout& layout : layouts_) buffers_.emplace_back(device, layout.bytes);
}

std::vector<void*> BufferSet::addresses() const {
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    addresses.push_back(static_cast<std::byte*>(buffers_[i].data()) + layouts_[i].first_byte);
  return addresses;
}

WorkspaceSet::WorkspaceSet(Device& device, const std::vector<std::int64_t>& bytes) : device_(&device) {
  for (std::int64_t size : bytes) {
    bytes_.push_back(static_cast<std::size_t>(size));
    memory_.emplace_back(device, bytes_.back() + 2 * kGuardBytes);
  }
}

std::vector<void*> WorkspaceSet::addresses() const {
  std::vector<void*> addresses;
  for (const DeviceMemory& memory : memory_) addresses.push_back(static_cast<std::byte*>(memory.data()) + kGuardBytes);
  return addresses;
}

void WorkspaceSet::poison(std::byte value, Stream stream) {
  for (const DeviceMemory& memory : memory_) device_->fill(memory.data(), value, memory.bytes(), stream);
}

bool WorkspaceSet::guards_intact(std::byte guard, Stream stream) const {
  std::vector<std::byte> guards(2 * kGuardBytes);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const auto* first = static_cast<const std::byte*>(memory_[i].data());
    device_->copy_out(guards.data(), first, kGuardBytes, stream);
    device_->copy_out(guards.data() + kGuardBytes, first + kGuardBytes + bytes_[i], kGuardBytes, stream);
    device_->synchronize(stream);
    if (std::any_of(guards.begin(), guards.end(), [&](std::byte byte) { return byte != guard; })) return false;
  }
  return true;
}

}  // namespace hiptune
