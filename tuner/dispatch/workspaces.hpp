#pragma once

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "hiptune/dispatcher.hpp"

namespace hiptune::detail {

// The workspaces of one thread's launches on one stream. Launches of a stream run one after the other, but two threads
// may interleave their plans' launches on it, so that each needs memory of its own.
struct WorkspaceSlot {
  enum class State { free, being_taken, taken };
  std::atomic<State> state{State::taken};
  std::atomic<std::thread::id> thread;
  std::atomic<Stream> stream = nullptr;
  std::array<DeviceMemory, kMaxWorkspaces> memory;
  std::vector<DeviceMemory> outgrown;             // launches in flight use it, and so may graphs that were captured
  std::array<void*, kMaxWorkspaces> addresses{};  // what a launch's arguments point to
  WorkspaceSlot* next = nullptr;
};

// Workspaces that grow to what calls need and are kept. They at least double, so that those outgrown are together no
// larger than the last. Once they are large enough, finding them takes no lock and allocates nothing. Any thread.
class Workspaces {
 public:
  explicit Workspaces(Device& device) : device_(&device) {}
  ~Workspaces();
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;

  [[nodiscard]] WorkspaceSlot& of_this_thread(Stream stream);
  // Releases the memory that any thread's calls on the stream use. Nothing that uses it may be under way, nor a call on
  // that stream.
  void forget(Stream stream) noexcept;
  // Makes a workspace of the slot at least so large. Waits for nothing, also when it grows, so that the stream may
  // be one that is captured. Throws Error(failed) when out of memory. Returns where its address stands.
  void** require(WorkspaceSlot& slot, std::size_t index, std::size_t bytes);

 private:
  [[nodiscard]] WorkspaceSlot* take_free() noexcept;
  [[nodiscard]] WorkspaceSlot* add();
  void grow(WorkspaceSlot& slot, std::size_t index, std::size_t bytes);
  [[nodiscard]] DeviceMemory allocate(std::size_t wanted, std::size_t needed);

  Device* device_;
  std::atomic<WorkspaceSlot*> first_{nullptr};  // slots are only ever added; one that was forgotten is taken again
};

}  // namespace hiptune::detail
