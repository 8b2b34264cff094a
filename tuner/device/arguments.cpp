#include "device/arguments.hpp"

#include <cstring>

namespace hiptune {
namespace {

using Slot = std::array<std::byte, 8>;

template <class T>
Slot slot_of(const T& value) {
  static_assert(sizeof(T) <= sizeof(Slot));
  Slot slot{};
  std::memcpy(slot.data(), &value, sizeof(T));
  return slot;
}

// Walks the arguments in order and takes each kind's next value.
struct SlotMaker {
  const Space& space;
  const Problem& problem;
  const CallValues& values;
  std::size_t buffer = 0, stride = 0, scalar = 0;

  Slot operator()(const BufferArgument&) { return slot_of(values.buffers.at(buffer++)); }
  Slot operator()(const StrideArgument&) { return slot_of(values.strides.at(stride++)); }
  Slot operator()(const ScalarArgument& argument) {
    Slot slot{};
    store_from_double(slot.data(), argument.type, values.scalars.at(scalar++));
    return slot;
  }
  Slot operator()(const DimensionArgument& argument) {
    const auto index = space.find_dimension(argument.name) - space.dimensions.data();
    return slot_of(problem.dimensions.at(static_cast<std::size_t>(index)));
  }
};

}  // namespace

ArgumentList::ArgumentList(const Space& space, const Problem& problem, const CallValues& values) {
  SlotMaker maker{space, problem, values};
  for (const Argument& argument : space.arguments) slots_.push_back(std::visit(maker, argument));
  for (void* workspace : values.workspaces) slots_.push_back(slot_of(workspace));
  for (Slot& slot : slots_) pointers_.push_back(slot.data());
}

}  // namespace hiptune
