#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

#include "device/device.hpp"
#include "hiptune/dispatcher.hpp"

namespace hiptune::detail {

// The workspaces of one thread's launches on one stream. Launches of a stream run one after the other, but two threads
// may interleave their plans' launches on it, so that each needs memory of its own.
struct WorkspaceSlot {
  std::thread::id thread;
  Stream stream = nullptr;
  std::array<DeviceMemory, kMaxWorkspaces> memory;
  std::array<void*, kMaxWorkspaces> addresses{};  // what a launch's arguments point to
  WorkspaceSlot* next = nullptr;
};

// Workspaces that grow to what calls need and are kept. Once they are large enough, finding them takes no lock and
// allocates nothing. Any thread.
class Workspaces {
 public:
  explicit Workspaces(Device& device) : device_(&device) {}
  ~Workspaces();
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;

  [[nodiscard]] WorkspaceSlot& of_this_thread(Stream stream);
  // Makes a workspace of the slot at least so large. Waits for the stream when it grows. Throws Error(failed) when out
  // of memory. Returns where its address stands.
  void** require(WorkspaceSlot& slot, std::size_t index, std::size_t bytes);

 private:
  Device* device_;
  std::atomic<WorkspaceSlot*> first_{nullptr};  // slots are only ever added
  std::mutex growing_;                          // a device synchronizes for one thread at a time
};

}  // namespace hiptune::detail
