#include "dispatch/workspaces.hpp"

#include <algorithm>
#include <memory>

#include "hiptune/error.hpp"

namespace hiptune::detail {

using State = WorkspaceSlot::State;

Workspaces::~Workspaces() {
  for (WorkspaceSlot* slot = first_; slot != nullptr;) {
    const std::unique_ptr<WorkspaceSlot> owned(slot);
    slot = owned->next;
  }
}

WorkspaceSlot& Workspaces::of_this_thread(Stream stream) {
  const std::thread::id thread = std::this_thread::get_id();
  for (WorkspaceSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next)
    if (slot->state.load(std::memory_order_acquire) == State::taken && slot->thread == thread && slot->stream == stream)
      return *slot;
  WorkspaceSlot* slot = take_free();
  if (slot == nullptr) slot = add();
  slot->thread = thread;
  slot->stream = stream;
  slot->state.store(State::taken, std::memory_order_release);
  return *slot;
}

WorkspaceSlot* Workspaces::take_free() noexcept {
  for (WorkspaceSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next)
    if (State free = State::free; slot->state.compare_exchange_strong(free, State::being_taken)) return slot;
  return nullptr;
}

WorkspaceSlot* Workspaces::add() {
  auto made = std::make_unique<WorkspaceSlot>();
  made->state = State::being_taken;
  made->next = first_.load();
  while (!first_.compare_exchange_weak(made->next, made.get())) {
  }
  return made.release();
}

void Workspaces::forget(Stream stream) noexcept {
  for (WorkspaceSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    if (slot->state.load(std::memory_order_acquire) != State::taken || slot->stream != stream) continue;
    for (DeviceMemory& memory : slot->memory) memory = DeviceMemory();
    slot->outgrown.clear();
    slot->addresses = {};
    slot->state.store(State::free, std::memory_order_release);
  }
}

void** Workspaces::require(WorkspaceSlot& slot, std::size_t index, std::size_t bytes) {
  if (slot.memory[index].bytes() < bytes) grow(slot, index, bytes);
  return &slot.addresses[index];
}

void Workspaces::grow(WorkspaceSlot& slot, std::size_t index, std::size_t bytes) {
  DeviceMemory larger = allocate(std::max(bytes, 2 * slot.memory[index].bytes()), bytes);
  if (slot.memory[index].data() != nullptr) slot.outgrown.push_back(std::move(slot.memory[index]));
  slot.memory[index] = std::move(larger);
  slot.addresses[index] = slot.memory[index].data();
}

DeviceMemory Workspaces::allocate(std::size_t wanted, std::size_t needed) {
  if (wanted == needed) return {*device_, needed};
  try {
    return {*device_, wanted};
  } catch (const Error&) {  // there may be room for what is needed now
    return {*device_, needed};
  }
}

}  // namespace hiptune::detail
