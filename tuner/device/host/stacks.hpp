#pragma once

#include <cstddef>
#include <vector>

#include "device/host/fiber.hpp"

namespace hiptune::host {

// Stacks for the fibers of one OS thread: address space is taken at once, memory when a stack is first used.
class Stacks {
 public:
  static constexpr std::size_t kBytes = 65536;  // of each, guard page included

  // At most `count` in use at a time. Throws Error(failed) when the address space cannot be had.
  explicit Stacks(int count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  [[nodiscard]] int acquire();
  void release(int stack) { free_.push_back(stack); }
  // Takes all stacks back, whatever stands on them: fibers in the middle of a kernel hold no resources.
  void reclaim();
  // Whether an acquired stack holds this address.
  [[nodiscard]] bool holds(int stack, const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base(stack)) < kBytes;
  }
  // A context that calls `function` on an acquired stack.
  [[nodiscard]] Context start(int stack, void (*function)(boost::context::detail::transfer_t));

 private:
  [[nodiscard]] std::byte* base(int stack) const { return memory_ + static_cast<std::size_t>(stack) * kBytes; }
  void prepare(int stack);

  int count_;
  std::byte* memory_;
  int prepared_ = 0;
  std::vector<int> free_;
#if defined(__SANITIZE_THREAD__)
  std::vector<void*> fibers_;
#endif
};

}  // namespace hiptune::host
