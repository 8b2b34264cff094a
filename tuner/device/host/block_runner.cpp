#include "device/host/block_runner.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

// The runner whose kernels the current OS thread runs.
thread_local BlockRunner* current_runner = nullptr;

constexpr std::size_t kLdsAlignment = 256;

// Before the LDS, so that reading below it shows, and writing there does no harm and shows as well.
constexpr std::size_t kLdsGuard = 4096;

std::byte* allocate_lds(std::size_t bytes) {
  void* memory = std::aligned_alloc(kLdsAlignment, kLdsGuard + (bytes / kLdsAlignment + 1) * kLdsAlignment);
  if (memory == nullptr) throw failed("cannot allocate " + std::to_string(bytes) + " bytes of LDS");
  return static_cast<std::byte*>(memory);
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64's output function
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t lanes_mask(int lanes) { return ~std::uint64_t{0} >> (64 - lanes); }

Dim3 dim3(const std::array<std::int64_t, 3>& sizes) {
  return {static_cast<unsigned>(sizes[0]), static_cast<unsigned>(sizes[1]), static_cast<unsigned>(sizes[2])};
}

// The coordinates of the i-th of `size` in linear order, x fastest.
Dim3 coordinates(std::int64_t i, const Dim3& size) {
  const std::int64_t row = i / size.x;
  return {static_cast<unsigned>(i % size.x), static_cast<unsigned>(row % size.y), static_cast<unsigned>(row / size.y)};
}

}  // namespace

BlockRunner::BlockRunner(int wave_size, std::int64_t lds_bytes, Watch* watch)
    : wave_size_(wave_size),
      lds_bytes_(static_cast<std::size_t>(lds_bytes)),
      watch_(watch),
      lds_(allocate_lds(lds_bytes_), [](std::byte* memory) { std::free(memory); }),
      stacks_(kMaxThreads) {}

const Runtime& BlockRunner::runtime() {
  static constexpr Runtime table = {current, barrier, exchange, access, std::memmove, std::memset};
  return table;
}

BlockRunner& BlockRunner::runner_of(const Thread* thread) { return *static_cast<BlockRunner*>(thread->block->runner); }

Thread* BlockRunner::current() { return &current_runner->threads_[index(current_runner->running_)]; }

void BlockRunner::barrier(Thread* self, int line) {
  BlockRunner& runner = runner_of(self);
  runner.wait_at_barrier(runner.index_of(self), line);
}

std::optional<Fault> BlockRunner::run(Launch& launch) {
  prepare(launch);
  if (!begin_next_block()) return std::nullopt;
  running_ = next_ready();
  const int stack = stacks_.acquire();
  stack_of_[index(running_)] = static_cast<std::uint16_t>(stack);
  switch_to(main_, stacks_.start(stack, fiber_entry));
  stacks_.reclaim();
  if (!fault_) check_lds();
  current_runner = nullptr;
  return std::exchange(fault_, std::nullopt);
}

void BlockRunner::prepare(Launch& launch) {
  launch_ = &launch;
  current_runner = this;
  blocks_ = {};
  thread_count_ = static_cast<int>(launch.geometry.threads_per_block());
  wave_count_ = (thread_count_ + wave_size_ - 1) / wave_size_;
  block_ = {{},
            dim3(launch.geometry.block),
            dim3(launch.geometry.grid),
            std::min(wave_size_, thread_count_),
            lds_.get() + kLdsGuard,
            &runtime(),
            this};
  std::memset(lds_.get(), std::to_integer<int>(launch.schedule.unwritten_lds), kLdsGuard + lds_bytes_);
  if (watch_ != nullptr)
    watch_->begin_launch({lds_.get() + kLdsGuard, static_cast<std::size_t>(launch.geometry.dynamic_lds)},
                         {lds_.get(), kLdsGuard + lds_bytes_});
  if (launch.geometry.block != named_) name_threads(launch.geometry);
  // ready_ is taken from its end.
  std::iota(order_.begin(), order_.begin() + thread_count_, std::uint16_t{0});
  if (launch.schedule.order == Schedule::Order::forward) std::reverse(order_.begin(), order_.begin() + thread_count_);
}

void BlockRunner::name_threads(const Geometry& geometry) {
  for (int i = 0; i < thread_count_; ++i)
    threads_[index(i)] = {coordinates(i, block_.size), i % wave_size_, i / wave_size_, &block_};
  named_ = geometry.block;
}

bool BlockRunner::begin_next_block() {
  if (blocks_.empty()) blocks_ = launch_->blocks.take();
  if (blocks_.empty() || launch_->blocks.closed()) return false;
  begin_block(launch_->order.at(blocks_.begin++));
  return true;
}

void BlockRunner::begin_block(std::int64_t block) {
  block_.index = coordinates(block, block_.grid);
  random_ = mix(launch_->schedule.seed + mix(launch_->serial + mix(static_cast<std::uint64_t>(block) + 1)));
  for (int i = 0; i < wave_count_; ++i) {
    const int lanes = std::min(wave_size_, thread_count_ - i * wave_size_);
    waves_[index(i)] = {.live = lanes_mask(lanes), .lanes = lanes};
  }
  std::fill_n(contexts_.begin(), std::exchange(stale_contexts_, 0), Context{});
  finished_ = at_barrier_ = exchanging_ = 0;
  if (watch_ != nullptr) watch_->begin_block(block);
  order_all();
}

// Every thread of the block can run, in the schedule's order.
void BlockRunner::order_all() {
  if (launch_->schedule.order == Schedule::Order::shuffled) shuffle(order_.data(), order_.data() + thread_count_);
  std::copy_n(order_.begin(), thread_count_, ready_.begin());
  ready_count_ = thread_count_;
}

void BlockRunner::shuffle(std::uint16_t* first, std::uint16_t* last) {
  for (auto left = static_cast<std::uint64_t>(last - first); left > 1; --left) {
    random_ += 0x9e3779b97f4a7c15;
    std::swap(first[left - 1], first[mix(random_) % left]);
  }
}

void BlockRunner::fiber_entry(boost::context::detail::transfer_t transfer) {
  begin_fiber(transfer);
  current_runner->run_threads();
}

void BlockRunner::run_threads() {
  for (;;) {
    launch_->entry(launch_->arguments);
    finish(running_);
    if (ready_count_ == 0) {
      if (finished_ < thread_count_) {
        settle();
      } else if (!begin_next_block()) {
        leave_for(scrap_, main_);
      }
    }
    const int stack = stack_of_[index(running_)];
    running_ = next_ready();
    if (begun(running_)) {
      stacks_.release(stack);
      leave_for(scrap_, contexts_[index(running_)]);
    }
    stack_of_[index(running_)] = static_cast<std::uint16_t>(stack);
  }
}

void BlockRunner::finish(int thread) {
  ++finished_;
  const int index_of_wave = threads_[index(thread)].wave;
  Wave& wave = waves_[index(index_of_wave)];
  wave.live &= ~(std::uint64_t{1} << threads_[index(thread)].lane);
  if (wave.arrived != 0 && wave.arrived == wave.live) complete(wave, index_of_wave);
}

void BlockRunner::wait_at_barrier(int thread, int line) {
  if (at_barrier_++ == 0) {
    first_at_barrier_ = thread;
    barrier_line_ = line;
  } else if (line != barrier_line_) {
    abort(Fault::Kind::barrier_lines, first_at_barrier_, barrier_line_, thread, line);
  }
  suspend(thread);
}

const unsigned long long* BlockRunner::exchange(Thread* self, unsigned long long bits, int line, Combine combine) {
  BlockRunner& runner = runner_of(self);
  Wave& wave = runner.waves_[index(self->wave)];
  if (wave.arrived == 0) {
    wave.first = self->lane;
    wave.line = line;
    wave.combine = combine;
    wave.parity ^= 1;
    ++runner.exchanging_;
  } else if (line != wave.line) {
    runner.abort(Fault::Kind::shuffle_lines, self->wave * runner.wave_size_ + wave.first, wave.line,
                 runner.index_of(self), line);
  }
  unsigned long long* slots = runner.slots_[index(self->wave)][index(wave.parity)].data();
  slots[self->lane] = bits;
  wave.arrived |= std::uint64_t{1} << self->lane;
  if (wave.arrived == wave.live) runner.complete(wave, self->wave);
  runner.suspend(runner.index_of(self));
  return slots;
}

void BlockRunner::complete(Wave& wave, int index_of_wave) {
  unsigned long long* slots = slots_[index(index_of_wave)][index(wave.parity)].data();
  for (std::uint64_t missing = lanes_mask(wave_size_) & ~wave.arrived; missing != 0; missing &= missing - 1)
    slots[std::countr_zero(missing)] = ~0ULL;
  if (wave.combine != nullptr) wave.combine(slots, wave.lanes);
  std::uint16_t* const first = ready_.data() + ready_count_;
  for (std::uint64_t lanes = wave.arrived; lanes != 0; lanes &= lanes - 1)
    ready_[index(ready_count_++)] = static_cast<std::uint16_t>(index_of_wave * wave_size_ + std::countr_zero(lanes));
  std::uint16_t* const last = ready_.data() + ready_count_;
  if (launch_->schedule.order == Schedule::Order::forward) std::reverse(first, last);
  if (launch_->schedule.order == Schedule::Order::shuffled) shuffle(first, last);
  wave.arrived = 0;
  --exchanging_;
}

// `thread` waits: another one runs, until this one can.
void BlockRunner::suspend(int thread) {
  if (ready_count_ == 0) settle();
  const int next = next_ready();
  if (next == thread) return;
  stale_contexts_ = thread_count_;
  running_ = next;
  Context& self = contexts_[index(thread)];
  if (begun(next)) return switch_to(self, contexts_[index(next)]);
  const int stack = stacks_.acquire();
  stack_of_[index(next)] = static_cast<std::uint16_t>(stack);
  switch_to(self, stacks_.start(stack, fiber_entry));
}

// Nobody can run: every thread has met at the barrier, or some never will.
void BlockRunner::settle() {
  if (exchanging_ > 0) check_waves();
  if (finished_ > 0) abort(Fault::Kind::barrier_returned, first_at_barrier_, barrier_line_, first_returned(), 0);
  at_barrier_ = 0;
  if (watch_ != nullptr) watch_->pass_barrier();
  order_all();
}

// Called when an exchange is under way though all live threads wait: the missing lanes are at the barrier.
void BlockRunner::check_waves() {
  for (int i = 0; i < wave_count_; ++i) {
    const Wave& wave = waves_[index(i)];
    if (wave.arrived == 0) continue;
    const int missing = std::countr_zero(wave.live & ~wave.arrived);
    abort(Fault::Kind::shuffle_barrier, i * wave_size_ + wave.first, wave.line, i * wave_size_ + missing,
          barrier_line_);
  }
}

int BlockRunner::next_ready() {
  const int next = ready_[index(--ready_count_)];
  if (ready_count_ > 0) __builtin_prefetch(contexts_[ready_[index(ready_count_ - 1)]].where);
  return next;
}

int BlockRunner::first_returned() const {
  for (int i = 0; i < wave_count_; ++i) {
    const Wave& wave = waves_[index(i)];
    const std::uint64_t returned = lanes_mask(wave.lanes) & ~wave.live;
    if (returned != 0) return i * wave_size_ + std::countr_zero(returned);
  }
  throw std::logic_error("no thread of the block has returned");
}

// Comparing the bytes with their neighbours is what the C library does fastest, and every launch pays for this.
bool BlockRunner::is_unwritten(const std::byte* first, std::size_t bytes) const {
  return bytes == 0 || (first[0] == launch_->schedule.unwritten_lds && std::memcmp(first, first + 1, bytes - 1) == 0);
}

// What lies before and behind the launch's dynamic LDS still is as prepare() filled it, or a block wrote there.
void BlockRunner::check_lds() {
  const auto declared = static_cast<std::size_t>(launch_->geometry.dynamic_lds);
  const std::byte* lds = lds_.get() + kLdsGuard;
  std::ptrdiff_t written = 0;
  if (!is_unwritten(lds_.get(), kLdsGuard)) {
    written = -static_cast<std::ptrdiff_t>(kLdsGuard);
    while (lds[written] == launch_->schedule.unwritten_lds) ++written;
  } else if (!is_unwritten(lds + declared, lds_bytes_ - declared)) {
    written = static_cast<std::ptrdiff_t>(lds_bytes_) - 1;
    while (lds[written] == launch_->schedule.unwritten_lds) --written;
  } else {
    return;
  }
  fault_ = Fault{Fault::Kind::lds_overrun, static_cast<int>(declared), 0, static_cast<int>(written), 0, 0};
  launch_->blocks.close();
}

// Called for every access that an instrumented module does not know to be of its thread's registers, also by code that
// runs when the module is loaded or unloaded.
void BlockRunner::access(const void* address, unsigned long bytes, unsigned long alignment, bool is_write,
                         const void* pc) {
  BlockRunner* const runner = current_runner;
  if (runner == nullptr || runner->stacks_.holds(runner->stack_of_[index(runner->running_)], address)) return;
  const auto offset = static_cast<const std::byte*>(pc) - runner->launch_->image.data();
  runner->check_access({static_cast<const std::byte*>(address), bytes, alignment, is_write,
                        static_cast<std::uint16_t>(runner->running_), static_cast<std::uint32_t>(offset)});
}

void BlockRunner::check_access(const Access& access) {
  std::optional<Violation> violation = watch_->check(access);
  if (!violation || (!violation->race && is_own(access.address))) return;
  // Its own constants are there to be read.
  violation->is_static = is_of_module(access.address);
  if (violation->is_static && !access.is_write) return;
  abort({.kind = Fault::Kind::violation, .block = block_number(), .violation = violation});
}

namespace {

bool lies_in(const void* address, const void* first, std::size_t bytes) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - static_cast<const std::byte*>(first)) <
         bytes;
}

}  // namespace

// What the device layer reads to know its thread.
bool BlockRunner::is_own(const void* address) const {
  return lies_in(address, this, sizeof(*this)) || lies_in(address, &runtime(), sizeof(Runtime));
}

bool BlockRunner::is_of_module(const void* address) const {
  return lies_in(address, launch_->image.data(), launch_->image.size());
}

std::int64_t BlockRunner::block_number() const {
  const std::int64_t row = block_.index.y + std::int64_t{block_.grid.y} * block_.index.z;
  return block_.index.x + row * block_.grid.x;
}

void BlockRunner::abort(Fault::Kind kind, int first, int first_line, int second, int second_line) {
  abort({kind, first, first_line, second, second_line, block_number()});
}

// Ends the block and the run. The fibers that wait are abandoned where they stand.
void BlockRunner::abort(const Fault& fault) {
  fault_ = fault;
  launch_->blocks.close();
  leave_for(scrap_, main_);
}

}  // namespace hiptune::host
