#include "dispatch/workspaces.hpp"

#include <memory>

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
  if (slot.memory[index].bytes() < bytes) {
    const std::lock_guard lock(growing_);
    device_->synchronize(slot.stream);
    slot.memory[index] = {};  // before the larger one needs room
    slot.memory[index] = DeviceMemory(*device_, bytes);
    slot.addresses[index] = slot.memory[index].data();
  }
  return &slot.addresses[index];
}

}  // namespace hiptune::detail
