#include "dispatch/signature.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <spdlog/fmt/fmt.h>

#include "dispatch/argument_types.hpp"
#include "problem/config.hpp"

namespace hiptune {
namespace {

template <class T>
T value_at(void* const* arguments, std::size_t index) noexcept {
  T value;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

std::int64_t integer_at(void* const* arguments, std::size_t index) noexcept {
  return value_at<std::int64_t>(arguments, index);
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

// A float argument of 1e-12 is below the double 1e-12, and still means it.
double rounded_to(Dtype type, double value) {
  std::array<std::byte, sizeof(double)> bytes{};
  store_from_double(bytes.data(), type, value);
  return load_as_double(bytes.data(), type);
}

// An extent of a buffer, which a call's strides are compared with.
ClosedForm extent_of(const Space& space, const Expression& extent, const Names& names) {
  try {
    return {extent, names, dimension_names(space)};
  } catch (const Error&) {
    throw bad_input(extent.place().text() + ": \"" + extent.text() +
                    "\": the dispatcher compares the stride with it at every call, so it may only use ceil_div, min, "
                    "max and products of dimensions, and facts of the target");
  }
}

// What is found from each call stays at its default: the types of arguments do not depend on it.
Problem bound_problem(const Space& space, Dtype dtype, const Assignment& given) {
  Problem problem{std::vector<std::int64_t>(space.dimensions.size(), 0), dtype, {}};
  for (const Trait& trait : space.traits) {
    const Value* value = find(given, trait.name);
    if (value != nullptr && trait.source != TraitSource::given)
      throw bad_input("bind(\"" + space.kernel + "\"): " + trait.name +
                      " is found from each call's pointers; leave it out");
    problem.traits.emplace_back(trait.name, value != nullptr ? *value : trait.values[trait.default_index]);
  }
  problem.traits = with_same_type(space, problem.traits, dtype);
  return problem;
}

// Those that hold for every call.
Names names_for(const Space& space, const Problem& problem, const TargetFacts& facts) {
  Names names = names_of(space, problem, facts);
  for (const Trait& trait : space.traits)
    if (trait.source != TraitSource::given) names.erase(trait.name);
  return names;
}

// A byte offset as the problem's dtype would have it for as many elements: what counts is how many of them a vector
// may take, and no vector needs more than kVectorBytes.
std::uint64_t in_dtype(std::uint64_t bytes, std::uint64_t times_dtype) {
  return times_dtype > 1 && bytes % kVectorBytes == 0 ? 0 : bytes / times_dtype;
}

}  // namespace

std::vector<std::string> dimension_names(const Space& space) {
  std::vector<std::string> names;
  for (const Dimension& dimension : space.dimensions) names.push_back(dimension.name);
  return names;
}

Signature::Signature(const Space& space, Dtype dtype, const std::vector<detail::ArgumentType>& types,
                     const Assignment& traits, const TargetFacts& facts)
    : dtype_(dtype) {
  const Problem bound = bound_problem(space, dtype, traits);
  require_types(space, bound, types);
  if (space.dimensions.size() > kMaxDimensions || space.traits.size() > kMaxTraits)
    throw bad_input(fmt::format("{}: the dispatcher takes at most {} dimensions and {} traits", space.file,
                                kMaxDimensions, kMaxTraits));
  const Names names = names_for(space, bound, facts);
  const std::vector<ProblemBuffer> buffers = problem_buffers(space, bound);
  for (const Argument& argument : space.arguments) names_.push_back(argument_name(argument));
  for (const Dimension& dimension : space.dimensions) add_dimension(space, dimension);
  for (std::size_t i = 0; i < space.arguments.size(); ++i) {
    if (std::holds_alternative<BufferArgument>(space.arguments[i]))
      add_buffer(space, i, buffers[buffers_.size()], names);
    add_scalar(space, i);
  }
  for (std::size_t i = 0; i < space.traits.size(); ++i) {
    given_[i] = index_of(space.traits[i], bound.traits[i].second);
    add_trait(space, i, names);
  }
}

void Signature::add_dimension(const Space& space, const Dimension& dimension) {
  const auto argument =
      argument_index<DimensionArgument>(space, [&](const auto& a) { return a.name == dimension.name; });
  if (!argument)
    throw bad_input(space.file + ": /arguments: dimension " + dimension.name +
                    " is not an argument, and the dispatcher must read it from calls; add it");
  dimensions_.push_back({*argument, dimension.minimum, dimension.maximum, dimension.batch});
}

void Signature::add_buffer(const Space& space, std::size_t index, const ProblemBuffer& buffer, const Names& names) {
  const std::uint64_t bytes = size_of(buffer.type);
  BufferSlot slot{index, bytes,        std::max<std::uint64_t>(1, bytes / size_of(dtype_)), buffer.is_absent, false,
                  0,     ClosedForm(0)};
  if (const auto stride =
          argument_index<StrideArgument>(space, [&](const auto& a) { return a.buffer == buffer.name; })) {
    slot.strided = true;
    slot.stride_argument = *stride;
    slot.row = extent_of(space, std::get<BufferArgument>(space.arguments[index]).extent.back(), names);
  }
  buffers_.push_back(std::move(slot));
}

void Signature::add_scalar(const Space& space, std::size_t index) {
  const auto* scalar = std::get_if<ScalarArgument>(&space.arguments[index]);
  if (scalar == nullptr) return;
  scalars_.push_back(
      {index, scalar->type, rounded_to(scalar->type, scalar->minimum), rounded_to(scalar->type, scalar->maximum)});
}

void Signature::add_trait(const Space& space, std::size_t index, const Names& names) {
  const Trait& trait = space.traits[index];
  if (trait.source == TraitSource::alignment) add_alignment(trait, index);
  if (trait.source == TraitSource::aliasing) add_aliasing(space, trait, index, names);
}

void Signature::add_alignment(const Trait& trait, std::size_t index) {
  AlignmentSlot slot{index, {}, 0};
  for (const Value& one : trait.values) slot.values.push_back(static_cast<std::uint64_t>(std::get<std::int64_t>(one)));
  while (slot.lowest + 1 < slot.values.size() && slot.values[slot.lowest] < size_of(dtype_)) ++slot.lowest;
  alignments_.push_back(std::move(slot));
}

void Signature::add_aliasing(const Space& space, const Trait& trait, std::size_t index, const Names& names) {
  const auto slot_of = [&](const std::string& name) {
    const auto is_it = [&](const BufferSlot& slot) { return names_[slot.argument] == name; };
    return static_cast<std::size_t>(std::ranges::find_if(buffers_, is_it) - buffers_.begin());
  };
  AliasSlot slot{index, slot_of(trait.aliased.input), slot_of(trait.aliased.output), ClosedForm(1)};
  const BufferSlot& output = buffers_[slot.output];
  const std::vector<Expression>& extent = std::get<BufferArgument>(space.arguments[output.argument]).extent;
  if (output.strided) slot.rows = extent_of(space, extent.front(), names);
  aliases_.push_back(std::move(slot));
}

CallReading Signature::read(void* const* arguments) const noexcept {
  CallReading reading;
  if (!read_dimensions(arguments, reading) || reading.is_empty) return reading;
  if (!read_scalars(arguments, reading)) return reading;
  std::uint64_t bits = 0;  // a bit set here is set in some address or row size
  if (!read_buffers(arguments, reading, bits)) return reading;
  reading.key.traits = given_;
  if (!read_aliasing(arguments, reading)) return reading;
  for (const AlignmentSlot& slot : alignments_) {
    std::size_t index = slot.values.size() - 1;
    while (index > slot.lowest && bits % slot.values[index] != 0) --index;
    reading.key.traits[slot.trait] = static_cast<std::uint8_t>(index);
  }
  return reading;
}

bool Signature::read_dimensions(void* const* arguments, CallReading& reading) const noexcept {
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const DimensionSlot& slot = dimensions_[i];
    const std::int64_t value = integer_at(arguments, slot.argument);
    reading.key.dimensions[i] = value;
    if (slot.batch && value == 0) {
      reading.is_empty = true;
    } else if (value < slot.minimum || value > slot.maximum) {
      reading.status = Status::invalid_dimension;
      reading.argument = slot.argument;
      return false;
    }
  }
  return true;
}

bool Signature::read_scalars(void* const* arguments, CallReading& reading) const noexcept {
  for (const ScalarSlot& scalar : scalars_) {
    const double value = load_as_double(static_cast<const std::byte*>(arguments[scalar.argument]), scalar.type);
    if (value >= scalar.minimum && value <= scalar.maximum) continue;  // false for NaN
    reading.status = Status::invalid_scalar;
    reading.argument = scalar.argument;
    return false;
  }
  return true;
}

Status Signature::status_of(const BufferSlot& buffer, std::uint64_t address) noexcept {
  if (buffer.absent) return address == 0 ? Status::success : Status::unexpected_pointer;
  if (address == 0) return Status::null_pointer;
  return address % buffer.element_bytes == 0 ? Status::success : Status::misaligned_pointer;
}

bool Signature::read_buffers(void* const* arguments, CallReading& reading, std::uint64_t& bits) const noexcept {
  for (const BufferSlot& buffer : buffers_) {
    const auto address = value_at<std::uintptr_t>(arguments, buffer.argument);
    bits |= in_dtype(address, buffer.times_dtype);
    reading.status = status_of(buffer, address);
    if (reading.status != Status::success) {
      reading.argument = buffer.argument;
      return false;
    }
    if (!buffer.strided || buffer.absent) continue;
    const std::int64_t stride = integer_at(arguments, buffer.stride_argument);
    bits |= in_dtype(static_cast<std::uint64_t>(stride) * buffer.element_bytes, buffer.times_dtype);
    if (stride < buffer.row.evaluate(dimensions_of(reading.key))) {
      reading.status = Status::invalid_stride;
      reading.argument = buffer.stride_argument;
      return false;
    }
  }
  return true;
}

// One row has no stride.
bool Signature::read_aliasing(void* const* arguments, CallReading& reading) const noexcept {
  for (const AliasSlot& slot : aliases_) {
    const BufferSlot &input = buffers_[slot.input], &output = buffers_[slot.output];
    if (value_at<std::uintptr_t>(arguments, input.argument) != value_at<std::uintptr_t>(arguments, output.argument))
      continue;
    reading.key.traits[slot.trait] = 1;
    if (!output.strided || slot.rows.evaluate(dimensions_of(reading.key)) < 2) continue;
    if (integer_at(arguments, input.stride_argument) == integer_at(arguments, output.stride_argument)) continue;
    reading.status = Status::invalid_stride;
    reading.argument = output.stride_argument;
    return false;
  }
  return true;
}

std::string Signature::describe_buffer(const BufferSlot& slot, Status status) const {
  const std::string& name = names_[slot.argument];
  if (status == Status::null_pointer) return name + " is null";
  if (status == Status::unexpected_pointer) return name + " must be null: the kernel was bound without this buffer";
  return fmt::format("{} does not begin at a multiple of {} bytes, the size of its elements", name, slot.element_bytes);
}

std::string Signature::describe_stride(const BufferSlot& slot, const CallReading& reading,
                                       void* const* arguments) const {
  const std::string& name = names_[slot.stride_argument];
  const std::int64_t value = integer_at(arguments, slot.stride_argument);
  const std::int64_t row = slot.row.evaluate(dimensions_of(reading.key));
  if (value < row)
    return fmt::format("{} is {}, and a row of {} has {} elements", name, value, names_[slot.argument], row);
  const auto of_slot = [&](const AliasSlot& one) { return &buffers_[one.output] == &slot; };
  const BufferSlot& input = buffers_[std::ranges::find_if(aliases_, of_slot)->input];
  return fmt::format("{} is {} and {} is {}: where {} and {} begin at one address, their strides must be equal",
                     names_[input.stride_argument], integer_at(arguments, input.stride_argument), name, value,
                     names_[input.argument], names_[slot.argument]);
}

std::string Signature::describe(const CallReading& reading, void* const* arguments) const {
  for (const BufferSlot& slot : buffers_) {
    if (slot.argument == reading.argument) return describe_buffer(slot, reading.status);
    if (slot.strided && slot.stride_argument == reading.argument) return describe_stride(slot, reading, arguments);
  }
  const std::string& name = names_[reading.argument];
  for (const ScalarSlot& slot : scalars_)
    if (slot.argument == reading.argument)
      return fmt::format("{} is {:.6g}, and must be from {:.6g} to {:.6g}", name,
                         load_as_double(static_cast<const std::byte*>(arguments[slot.argument]), slot.type),
                         slot.minimum, slot.maximum);
  for (const DimensionSlot& slot : dimensions_)
    if (slot.argument == reading.argument)
      return fmt::format("{} is {}, and must be from {} to {}", name, integer_at(arguments, reading.argument),
                         slot.minimum, slot.maximum);
  throw std::logic_error("a call that is not wrong was described");
}

BatchValues Signature::batch_of(const CallKey& key) const noexcept {
  BatchValues batch;
  for (std::size_t i = 0; i < dimensions_.size(); ++i)
    if (dimensions_[i].batch) batch.values[batch.count++] = key.dimensions[i];
  return batch;
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
  const auto grow = [&](std::size_t trait, std::size_t first, std::size_t end) {
    std::vector<CallKey> grown;
    for (const CallKey& key : keys)
      for (std::size_t value = first; value < end; ++value) {
        grown.push_back(key);
        grown.back().traits[trait] = static_cast<std::uint8_t>(value);
      }
    keys = std::move(grown);
  };
  for (const AlignmentSlot& slot : alignments_) grow(slot.trait, slot.lowest, slot.values.size());
  for (const AliasSlot& slot : aliases_) grow(slot.trait, 0, 2);
  return keys;
}

}  // namespace hiptune
