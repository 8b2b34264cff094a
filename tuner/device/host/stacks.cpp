#include "device/host/stacks.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

constexpr std::size_t kGuardBytes = 4096;

// Equal tops of all stacks would share a few cache sets; spreading them made barrier kernels twice as fast.
std::size_t stagger(int stack) { return static_cast<std::size_t>(stack) * 64 % 2048; }

}  // namespace

Stacks::Stacks(int count) : count_(count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * kBytes;
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    throw failed("cannot map " + std::to_string(bytes) + " bytes for the stacks of the host device: " +
                 std::strerror(errno) + "; raise the limit on address space (ulimit -v)");
  madvise(memory, bytes, MADV_NOHUGEPAGE);  // else one touched stack takes 2 MB
  memory_ = static_cast<std::byte*>(memory);
  free_.reserve(static_cast<std::size_t>(count));
}

Stacks::~Stacks() {
#if defined(__SANITIZE_THREAD__)
  for (void* fiber : fibers_) __tsan_destroy_fiber(fiber);
#endif
  munmap(memory_, static_cast<std::size_t>(count_) * kBytes);
}

int Stacks::acquire() {
  if (free_.empty()) {
    prepare(prepared_);
    return prepared_++;
  }
  const int stack = free_.back();
  free_.pop_back();
  return stack;
}

void Stacks::prepare(int stack) {
  // A process may have only so many mappings (65530 by default), which hundreds of cores would use up. A stack
  // without a guard works as well, so that running out of them is no failure.
  mprotect(base(stack), kGuardBytes, PROT_NONE);
#if defined(__SANITIZE_THREAD__)
  fibers_.push_back(__tsan_create_fiber(0));
#endif
}

void Stacks::reclaim() {
  free_.clear();
  for (int stack = prepared_ - 1; stack >= 0; --stack) {
    free_.push_back(stack);
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(base(stack) + kGuardBytes, kBytes - kGuardBytes);
#endif
  }
}

Context Stacks::start(int stack, void (*function)(boost::context::detail::transfer_t)) {
  const std::size_t bytes = kBytes - kGuardBytes - stagger(stack);
  std::byte* bottom = base(stack) + kGuardBytes;
  Context context;
  context.where = boost::context::detail::make_fcontext(bottom + bytes, bytes, function);
#if defined(__SANITIZE_ADDRESS__)
  context.bottom = bottom;
  context.bytes = bytes;
#endif
#if defined(__SANITIZE_THREAD__)
  context.fiber = fibers_[static_cast<std::size_t>(stack)];
#endif
  return context;
}

}  // namespace hiptune::host
