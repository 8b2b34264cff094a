#include "dispatch/signature.hpp"

#include <cstring>

#include <spdlog/fmt/fmt.h>

#include "problem/config.hpp"

namespace hiptune {
namespace {

using detail::ArgumentKind;
using detail::ArgumentType;

std::int64_t integer_at(void* const* arguments, std::size_t index) noexcept {
  std::int64_t value = 0;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

std::uintptr_t address_at(void* const* arguments, std::size_t index) noexcept {
  std::uintptr_t value = 0;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

std::string argument_name(const Argument& argument) {
  return std::visit([](const auto& a) { return a.name; }, argument);
}

// What the argument's type must be, in C++; empty when `type` is that.
struct Mismatch {
  Dtype dtype;
  const ArgumentType& type;

  std::string operator()(const BufferArgument& buffer) const {
    const Dtype element = buffer.type.value_or(dtype);
    const bool is_input = buffer.role == Role::in;
    const bool is_pointer = type.kind == ArgumentKind::pointer || type.kind == ArgumentKind::pointer_to_const;
    const bool writable = is_input || type.kind == ArgumentKind::pointer;
    const bool same =
        type.bytes == 0 || (type.bytes == size_of(element) && type.floating_pointee == is_floating(element));
    return is_pointer && writable && same ? "" : (is_input ? "const " : "") + cpp_name(element) + "*";
  }
  std::string operator()(const ScalarArgument& scalar) const {
    const auto kind = is_floating(scalar.type) ? ArgumentKind::floating : ArgumentKind::integer;
    return type.kind == kind && type.bytes == size_of(scalar.type) ? "" : cpp_name(scalar.type);
  }
  std::string operator()(const DimensionArgument&) const { return int64(); }
  std::string operator()(const StrideArgument&) const { return int64(); }
  [[nodiscard]] std::string int64() const {
    return type.kind == ArgumentKind::integer && type.bytes == sizeof(std::int64_t) ? "" : "std::int64_t";
  }
};

void require_types(const Space& space, Dtype dtype, const std::vector<ArgumentType>& types) {
  if (types.size() != space.arguments.size())
    throw bad_input(fmt::format("bind(\"{}\"): {} argument types given, the kernel takes {}", space.kernel,
                                types.size(), space.arguments.size()));
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string wanted = std::visit(Mismatch{dtype, types[i]}, space.arguments[i]);
    if (!wanted.empty())
      throw bad_input(fmt::format("bind(\"{}\"): argument {}, {}, must be {}", space.kernel, i + 1,
                                  argument_name(space.arguments[i]), wanted));
  }
}

std::uint8_t index_of(const Trait& trait, const Value& value) {
  for (std::size_t i = 0; i < trait.values.size(); ++i)
    if (trait.values[i] == value) return static_cast<std::uint8_t>(i);
  throw std::logic_error("a trait value that was checked before");
}

// Index of the argument that a predicate accepts.
template <class T>
std::optional<std::size_t> argument_index(const Space& space, const auto& accepts) {
  for (std::size_t i = 0; i < space.arguments.size(); ++i)
    if (const auto* argument = std::get_if<T>(&space.arguments[i]); argument != nullptr && accepts(*argument)) return i;
  return std::nullopt;
}

}  // namespace

Signature::Signature(const Space& space, Dtype dtype, const std::vector<ArgumentType>& types, const Assignment& traits)
    : dtype_(dtype), arguments_(types.size()) {
  require_types(space, dtype, types);
  if (space.dimensions.size() > kMaxDimensions || space.traits.size() > kMaxTraits)
    throw bad_input(fmt::format("{}: the dispatcher takes at most {} dimensions and {} traits", space.file,
                                kMaxDimensions, kMaxTraits));
  for (const Dimension& dimension : space.dimensions) {
    const auto argument =
        argument_index<DimensionArgument>(space, [&](const auto& a) { return a.name == dimension.name; });
    if (!argument)
      throw bad_input(space.file + ": /arguments: dimension " + dimension.name +
                      " is not an argument, and the dispatcher must read it from calls; add it");
    dimensions_.push_back({*argument, dimension.minimum, dimension.maximum, dimension.batch});
  }
  for (std::size_t i = 0; i < space.arguments.size(); ++i) add_buffer(space, i);
  for (std::size_t i = 0; i < space.traits.size(); ++i) {
    const Trait& trait = space.traits[i];
    const Value* given = find(traits, trait.name);
    given_[i] = index_of(trait, given != nullptr ? *given : trait.values[trait.default_index]);
    if (trait.source != TraitSource::alignment) continue;
    alignments_.push_back({i, {}});
    for (const Value& value : trait.values) alignments_.back().values.push_back(std::get<std::int64_t>(value));
  }
}

void Signature::add_buffer(const Space& space, std::size_t index) {
  const auto* buffer = std::get_if<BufferArgument>(&space.arguments[index]);
  if (buffer == nullptr) return;
  BufferSlot slot{index, static_cast<std::int64_t>(size_of(buffer->type.value_or(dtype_))), false, 0, ClosedForm(0)};
  if (const auto stride =
          argument_index<StrideArgument>(space, [&](const auto& a) { return a.buffer == buffer->name; })) {
    std::vector<std::string> names;
    for (const Dimension& dimension : space.dimensions) names.push_back(dimension.name);
    slot.strided = true;
    slot.stride_argument = *stride;
    const Names constants{{"ELEMENT_BYTES", static_cast<double>(size_of(dtype_))}};
    slot.row = ClosedForm(buffer->extent.back(), constants, names);
  }
  buffers_.push_back(std::move(slot));
}

Status Signature::read(void* const* arguments, CallKey& key, bool& is_empty) const noexcept {
  is_empty = false;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const DimensionSlot& slot = dimensions_[i];
    const std::int64_t value = integer_at(arguments, slot.argument);
    const bool is_zero_batch = slot.batch && value == 0;
    if (!is_zero_batch && (value < slot.minimum || value > slot.maximum)) return Status::invalid_dimension;
    is_empty = is_empty || is_zero_batch;
    key.dimensions[i] = value;
  }
  if (is_empty) return Status::success;
  std::uintptr_t bits = 0;  // a bit set here is set in some address or row size
  for (const BufferSlot& buffer : buffers_) {
    const std::uintptr_t address = address_at(arguments, buffer.argument);
    if (address == 0) return Status::null_pointer;
    bits |= address;
    if (!buffer.strided) continue;
    const std::int64_t stride = integer_at(arguments, buffer.stride_argument);
    if (stride < buffer.row.evaluate({key.dimensions.data(), dimensions_.size()})) return Status::invalid_stride;
    bits |= static_cast<std::uintptr_t>(stride * buffer.element_bytes);
  }
  key.traits = given_;
  for (const AlignmentSlot& slot : alignments_) {
    std::size_t index = slot.values.size() - 1;
    while (index > 0 && bits % static_cast<std::uintptr_t>(slot.values[index]) != 0) --index;
    key.traits[slot.trait] = static_cast<std::uint8_t>(index);
  }
  return Status::success;
}

std::size_t Signature::batch_of(const CallKey& key, std::array<std::int64_t, kMaxDimensions>& out) const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i)
    if (dimensions_[i].batch) out[count++] = key.dimensions[i];
  return count;
}

CallKey Signature::without_batch(const CallKey& key) const noexcept {
  CallKey bare = key;
  for (std::size_t i = 0; i < dimensions_.size(); ++i)
    if (dimensions_[i].batch) bare.dimensions[i] = 0;
  return bare;
}

Problem Signature::problem_of(const Space& space, const CallKey& key) const {
  Problem problem{{}, dtype_, {}};
  for (std::size_t i = 0; i < space.dimensions.size(); ++i)
    problem.dimensions.push_back(std::max(key.dimensions[i], space.dimensions[i].minimum));
  for (std::size_t i = 0; i < space.traits.size(); ++i)
    problem.traits.emplace_back(space.traits[i].name, space.traits[i].values[key.traits[i]]);
  return problem;
}

std::vector<CallKey> Signature::trait_combinations() const {
  std::vector<CallKey> keys{CallKey{{}, given_}};
  for (const AlignmentSlot& slot : alignments_) {
    std::vector<CallKey> grown;
    for (const CallKey& key : keys)
      for (std::size_t value = 0; value < slot.values.size(); ++value) {
        grown.push_back(key);
        grown.back().traits[slot.trait] = static_cast<std::uint8_t>(value);
      }
    keys = std::move(grown);
  }
  return keys;
}

}  // namespace hiptune
