#include "dispatch/workspaces.hpp"

#include <algorithm>
#include <memory>

#include "hiptune/error.hpp"

namespace hiptune::detail {

Workspaces::~Workspaces() {
  for (WorkspaceSlot* slot = first_; slot != nullptr;) {
    const std::unique_ptr<WorkspaceSlot> owned(slot);
    slot = owned->next;
  }
}

WorkspaceSlot& Workspaces::of_this_thread(Stream stream) {
  const std::thread::id thread = std::this_thread::get_id();
  for (WorkspaceSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next)
    if (slot->thread == thread && slot->stream == stream) return *slot;
  auto made = std::make_unique<WorkspaceSlot>();
  made->thread = thread;
  made->stream = stream;
  made->next = first_.load();
  while (!first_.compare_exchange_weak(made->next, made.get())) {
  }
  return *made.release();
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
