#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "device/device.hpp"
#include "hiptune/error.hpp"

namespace hiptune {

// A device without kernels: memory is the process's own, time is made up. A launch, a copy or a fill takes what `cost`
// says and moves `now`; time() reports the difference. What was done is recorded.
class MadeUpDevice : public Device {
 public:
  MadeUpDevice() {
    target_.backend = "made-up";
    target_.id = "made-up";
    target_.architecture = "none-wave32";
    target_.memory_bytes = std::int64_t{1} << 40;
  }

  [[nodiscard]] const Target& target() const override { return target_; }
  Target& mutable_target() { return target_; }
  void* allocate(std::size_t bytes) override {
    if (bytes > largest_allocation) throw failed("out of memory");
    return std::aligned_alloc(256, (bytes + 256) / 256 * 256);
  }
  void release(void* memory) noexcept override {
    std::free(memory);
    ++released;
  }
  void copy_in(void* to, const void* from, std::size_t bytes, Stream) override { std::memcpy(to, from, bytes); }
  void copy_out(void* to, const void* from, std::size_t bytes, Stream) override { std::memcpy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes, Stream) override { std::memcpy(to, from, bytes); }
  void fill(void* to, std::byte value, std::size_t bytes, Stream) override {
    std::memset(to, static_cast<int>(value), bytes);
    ++fills;
  }
  std::unique_ptr<Module> load(const CodeObject&) override { throw std::logic_error("no kernels here"); }
  void launch(Function, const Geometry&, void* const*, Stream) override { ++launches; }
  void synchronize(Stream) override {}
  DeviceTime time(const std::function<void(Stream)>& enqueue) override {
    const Nanoseconds before = now;
    enqueue(nullptr);
    ++timed;
    if (late == 0) return {now - before};
    --late;
    return {now - before + Nanoseconds(1e6), true};
  }

  Nanoseconds now{0};
  std::size_t largest_allocation = SIZE_MAX;
  int launches = 0, fills = 0, timed = 0, released = 0;
  int late = 0;  // so many of the next times have a millisecond of the host's in them

 private:
  Target target_;
};

}  // namespace hiptune
