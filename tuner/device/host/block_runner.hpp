#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "device/host/abi.hpp"
#include "device/host/fault.hpp"
#include "device/host/launch.hpp"
#include "device/host/stacks.hpp"
#include "device/host/watch.hpp"

namespace hiptune::host {

// Runs blocks on the calling OS thread, each thread of a block as a fiber. Fibers are lazy: one that has finished its
// thread takes the next that has not begun, on the same stack, so that a kernel in which nobody waits never switches.
// A thread that waits switches straight to the next one that can run. A wave that has met runs on before the rest of
// its block, while its stacks are in the cache.
class BlockRunner {
 public:
  static constexpr int kMaxThreads = 1024;

  // With a watch, which must outlive the runner, every access of watched modules is checked. Throws Error(failed) when
  // memory for stacks or LDS cannot be had.
  BlockRunner(int wave_size, std::int64_t lds_bytes, Watch* watch = nullptr);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Runs blocks of the launch until none is left, or one faults. A fault closes the launch's queue.
  [[nodiscard]] std::optional<Fault> run(Launch& launch);

  // The functions of kernels, called on fibers of the current OS thread.
  [[nodiscard]] static const Runtime& runtime();

 private:
  static constexpr int kMaxWaveSize = 64;
  static constexpr int kMaxWaves = kMaxThreads / 32;

  struct Wave {
    std::uint64_t live;         // lanes that have not returned
    std::uint64_t arrived = 0;  // lanes at the current exchange; 0: none is under way
    Combine combine = nullptr;
    int first = 0;  // the lane that arrived first, and where
    int line = 0;
    int lanes = 0;
    // Lanes may reach the next exchange while others still read the slots of this one, but not the one after.
    int parity = 0;
  };

  [[nodiscard]] static BlockRunner& runner_of(const Thread* thread);
  static Thread* current();
  static void barrier(Thread* self, int line);
  static const unsigned long long* exchange(Thread* self, unsigned long long bits, int line, Combine combine);
  static void access(const void* address, unsigned long bytes, unsigned long alignment, bool is_write, const void* pc);
  static void fiber_entry(boost::context::detail::transfer_t transfer);

  void prepare(Launch& launch);
  void name_threads(const Geometry& geometry);
  [[nodiscard]] bool begin_next_block();
  void begin_block(std::int64_t block);
  void order_all();
  void shuffle(std::uint16_t* first, std::uint16_t* last);

  [[noreturn]] void run_threads();
  void finish(int thread);
  void wait_at_barrier(int thread, int line);
  void suspend(int thread);
  void settle();
  void complete(Wave& wave, int index);
  void check_waves();
  [[nodiscard]] int next_ready();
  [[nodiscard]] int first_returned() const;
  void check_lds();
  void check_access(const Access& access);
  [[nodiscard]] bool is_own(const void* address) const;
  [[nodiscard]] bool is_of_module(const void* address) const;
  [[nodiscard]] std::int64_t block_number() const;
  [[nodiscard]] bool is_unwritten(const std::byte* first, std::size_t bytes) const;
  [[noreturn]] void abort(Fault::Kind kind, int first, int first_line, int second, int second_line);
  [[noreturn]] void abort(const Fault& fault);
  [[nodiscard]] int index_of(const Thread* thread) const { return static_cast<int>(thread - threads_.data()); }
  [[nodiscard]] bool begun(int thread) const { return contexts_[index(thread)].where != nullptr; }
  [[nodiscard]] static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  int wave_size_;
  std::size_t lds_bytes_;
  Watch* watch_;
  std::unique_ptr<std::byte[], void (*)(std::byte*)> lds_;
  Stacks stacks_;
  Context main_;   // the OS thread's own stack
  Context scrap_;  // of fibers that will not run again
  std::optional<Fault> fault_;

  Launch* launch_ = nullptr;
  std::array<std::int64_t, 3> named_{};  // the block size for which threads_ holds
  int thread_count_ = 0;
  int wave_count_ = 0;
  BlockQueue::Range blocks_;
  Block block_{};
  std::uint64_t random_ = 0;

  int running_ = 0;
  int ready_count_ = 0;
  int finished_ = 0;
  int at_barrier_ = 0;
  int first_at_barrier_ = 0;
  int barrier_line_ = 0;
  int exchanging_ = 0;  // waves with an exchange under way
  // How many contexts may be left from threads that have waited: of the last block, which may have been of another
  // launch and larger.
  int stale_contexts_ = 0;

  // Plain arrays by thread: a switch touches few lines of each.
  std::array<std::uint16_t, kMaxThreads> ready_{};  // a stack: the last one runs next
  std::array<std::uint16_t, kMaxThreads> order_{};
  std::array<std::uint16_t, kMaxThreads> stack_of_{};
  std::array<Context, kMaxThreads> contexts_{};
  std::array<Thread, kMaxThreads> threads_{};
  std::array<Wave, kMaxWaves> waves_{};
  std::array<std::array<std::array<unsigned long long, kMaxWaveSize>, 2>, kMaxWaves> slots_{};
};

}  // namespace hiptune::host
