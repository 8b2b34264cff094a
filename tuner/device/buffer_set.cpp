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

// Of a buffer of elements that are wider than the problem's dtype: to as many elements as is claimed of those, as far
// as the widest access, for they are loaded together; and an element is aligned in any case.
std::size_t alignment_of(Dtype type, std::size_t claimed, Dtype dtype) {
  const std::size_t same_elements = claimed * std::max<std::size_t>(1, size_of(type) / size_of(dtype));
  return std::max({claimed, std::min(same_elements, kVectorBytes), size_of(type)});
}

bool claims_most_alignment(const Space& space, const Problem& problem) {
  return std::ranges::all_of(space.traits, [&](const Trait& trait) {
    return trait.source != TraitSource::alignment || *find(problem.traits, trait.name) == trait.values.back();
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

void place_between_guards(BufferLayout& layout, std::size_t payload, std::size_t alignment) {
  layout.first_byte = round_up(kGuardBytes, kBaseAlignment) + (alignment < kBaseAlignment ? alignment : 0);
  layout.bytes = round_up(layout.first_byte + payload + kGuardBytes, size_of(Dtype::f64));
}

// The device puts one end of the allocation at a page. Where that is the right one, its size decides how the left one
// is aligned.
void place_at_page(BufferLayout& layout, std::size_t payload, std::size_t alignment) {
  const std::size_t claimed = alignment < kBaseAlignment ? alignment : kVectorBytes;
  layout.first_byte = 0;
  layout.bytes = round_up(payload, std::max(claimed, size_of(layout.shape.type)));
}

BufferLayout layout_of(const ProblemBuffer& buffer, const BufferShape& shape, std::size_t alignment,
                       std::int64_t stride, Pages pages) {
  BufferLayout layout{shape, stride, 0, 0, buffer};
  if (!buffer.has_memory()) return layout;
  const auto payload = static_cast<std::size_t>(shape.span(stride)) * size_of(shape.type);
  if (pages == Pages::none) {
    place_between_guards(layout, payload, alignment);
  } else {
    place_at_page(layout, payload, alignment);
  }
  return layout;
}

// A buffer without memory of its own lies where that is which it shares.
void share_places(std::vector<BufferLayout>& layouts) {
  for (BufferLayout& layout : layouts) {
    if (!layout.buffer.memory_of) continue;
    const BufferLayout& place = layouts[*layout.buffer.memory_of];
    layout.stride = place.stride;
    layout.first_byte = place.first_byte;
  }
}

}  // namespace

std::vector<BufferLayout> buffer_layouts(const Space& space, const Problem& problem, const TargetFacts& facts,
                                         bool padded, Pages pages) {
  const std::vector<BufferShape> shapes = buffer_shapes(space, problem, facts);
  const std::vector<ProblemBuffer> buffers = problem_buffers(space, problem);
  std::vector<BufferLayout> layouts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    // Each buffer has a stride of its own: a kernel that takes another's must not be right by chance.
    const std::int64_t padding = padded ? kPadElements + 2 * static_cast<std::int64_t>(i) : 0;
    const std::size_t alignment = alignment_of(shapes[i].type, claimed_alignment(space, problem), problem.dtype);
    const std::int64_t stride = stride_for(shapes[i], alignment, space.has_stride(buffers[i].name), padding);
    layouts.push_back(layout_of(buffers[i], shapes[i], alignment, stride, pages));
  }
  share_places(layouts);
  return layouts;
}

std::vector<BufferLayout> timed_layouts(const Space& space, const Problem& problem, const TargetFacts& facts) {
  std::vector<BufferLayout> layouts = buffer_layouts(space, problem, facts, false);
  if (!claims_most_alignment(space, problem)) return layouts;
  for (BufferLayout& layout : layouts) layout.first_byte -= layout.first_byte % kBaseAlignment;
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
  for (const BufferLayout& layout : layouts_)
    buffers_.push_back(layout.buffer.has_memory() ? DeviceMemory(device, layout.bytes) : DeviceMemory());
}

std::vector<void*> BufferSet::addresses() const {
  return addresses_of(
      layouts_, [&](std::size_t i) { return static_cast<std::byte*>(buffers_[i].data()) + layouts_[i].first_byte; });
}

WorkspaceSet::WorkspaceSet(Device& device, const std::vector<std::int64_t>& bytes)
    : device_(&device), leading_guard_(device.pages() == Pages::none ? kGuardBytes : 0) {
  for (std::int64_t size : bytes) {
    bytes_.push_back(static_cast<std::size_t>(size));
    const bool has_pages = device.pages() != Pages::none;
    memory_.emplace_back(device, has_pages ? round_up(bytes_.back(), kBaseAlignment) : bytes_.back() + 2 * kGuardBytes);
  }
}

std::vector<void*> WorkspaceSet::addresses() const {
  std::vector<void*> addresses;
  for (const DeviceMemory& memory : memory_)
    addresses.push_back(static_cast<std::byte*>(memory.data()) + leading_guard_);
  return addresses;
}

void WorkspaceSet::poison(std::byte value, Stream stream) {
  for (const DeviceMemory& memory : memory_) device_->fill(memory.data(), value, memory.bytes(), stream);
}

bool WorkspaceSet::guards_intact(std::byte guard, Stream stream) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    std::vector<std::byte> guards(memory_[i].bytes() - bytes_[i]);
    if (guards.empty()) continue;
    const auto* first = static_cast<const std::byte*>(memory_[i].data());
    device_->copy_out(guards.data(), first, leading_guard_, stream);
    device_->copy_out(guards.data() + leading_guard_, first + leading_guard_ + bytes_[i],
                      guards.size() - leading_guard_, stream);
    device_->synchronize(stream);
    if (std::any_of(guards.begin(), guards.end(), [&](std::byte byte) { return byte != guard; })) return false;
  }
  return true;
}

std::vector<WatchedBuffer> watched_buffers(const Space& space, const std::vector<BufferLayout>& layouts,
                                           const std::vector<void*>& addresses, const WorkspaceSet& workspaces) {
  std::vector<WatchedBuffer> watched;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const BufferLayout& layout = layouts[i];
    if (!layout.buffer.has_memory()) continue;
    const std::size_t stride = static_cast<std::size_t>(layout.stride) * size_of(layout.shape.type);
    watched.push_back(
        {layout.buffer.name, addresses[i], layout.shape.rows, layout.row_bytes(), stride, layout.buffer.has_results()});
  }
  const std::vector<void*> memory = workspaces.addresses();
  for (std::size_t i = 0; i < memory.size(); ++i)
    watched.push_back({space.workspaces[i].name, memory[i], 1, workspaces.bytes()[i], workspaces.bytes()[i], true});
  return watched;
}

}  // namespace hiptune
