#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/host/block_runner.hpp"
#include "device/host/module.hpp"
#include "device/host/settings.hpp"
#include "device/host/watch.hpp"
#include "device/host/worker_pool.hpp"

namespace hiptune::host {

// The CPU. Every operation is done when its function returns; operations of several threads take turns.
class HostDevice final : public Device {
 public:
  explicit HostDevice(int wave_size) : HostDevice(HostSettings{.facts = facts_of(wave_size)}) {}
  // Throws std::invalid_argument for a wave size other than 32 and 64, or blocks of more than 1024 threads.
  explicit HostDevice(const HostSettings& settings);
  [[nodiscard]] const Target& target() const override { return target_; }

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  [[nodiscard]] void* allocate_sparse(std::size_t bytes) override;
  void release_sparse(void* memory, std::size_t bytes) noexcept override;
  [[nodiscard]] double sparse_bytes() const override { return 0x1p46; }  // half of the address space of a process
  void copy_in(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void copy_out(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void copy(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void fill(void* to, std::byte value, std::size_t bytes, Stream stream) override;

  [[nodiscard]] std::unique_ptr<Module> load(const CodeObject& code) override;
  void launch(Function function, const Geometry& geometry, void* const* arguments, Stream stream) override;
  void synchronize(Stream stream) override;
  [[nodiscard]] DeviceTime time(const std::function<void(Stream)>& enqueue) override;
  [[nodiscard]] std::optional<double> clock_mhz() override;
  void set_schedule(const Schedule& schedule) override;
  void watch(std::span<const WatchedBuffer> buffers) override;
  [[nodiscard]] Pages pages() const override { return settings_.pages; }

 private:
  void reserve(std::size_t bytes);
  // work(begin, end) over parts of [0, bytes), one per core.
  void in_parts(std::size_t bytes, const std::function<void(std::size_t, std::size_t)>& work);
  [[nodiscard]] std::optional<Fault> first_fault();
  [[nodiscard]] std::string text_of(const Fault& fault, const KernelEntry& entry) const;

  HostSettings settings_;
  Target target_;
  std::atomic<std::int64_t> allocated_bytes_{0};
  std::mutex mutex_;  // of everything below
  WorkerPool pool_;
  Watch watch_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  // one per worker
  std::vector<std::optional<Fault>> faults_;           // of the launch under way, one per worker
  Schedule schedule_;
  std::uint64_t launches_ = 0;  // since the schedule was set
};

}  // namespace hiptune::host
