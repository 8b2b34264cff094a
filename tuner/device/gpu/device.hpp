#pragma once

#include <optional>

#include "gpu/stopwatch.hpp"

namespace hiptune::gpu {

// A GPU through the runtime that the module links.
class GpuDevice final : public Device {
 public:
  // Throws Error(unavailable) when there is no such device.
  explicit GpuDevice(int index);
  ~GpuDevice() override;
  [[nodiscard]] const Target& target() const override { return target_; }

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_in(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void copy_out(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void copy(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void fill(void* to, std::byte value, std::size_t bytes, Stream stream) override;

  [[nodiscard]] std::unique_ptr<Module> load(const CodeObject& code) override;
  void launch(Function function, const Geometry& geometry, void* const* arguments, Stream stream) override;
  void synchronize(Stream stream) override;
  [[nodiscard]] DeviceTime time(const std::function<void(Stream)>& enqueue) override;
  [[nodiscard]] std::optional<double> clock_mhz() override { return gpu::clock_mhz(index_); }

 private:
  void copy_bytes(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Stream stream) const;

  int index_;
  Target target_;
  std::optional<Stopwatch> stopwatch_;  // made when first used: a dispatcher never times
};

// The ids of the devices there are; none, with the reason.
[[nodiscard]] std::vector<std::string> device_ids(std::string& reason);
// `options` is "" or a device's index. Throws Error.
[[nodiscard]] std::unique_ptr<Device> open_device(std::string_view options);

}  // namespace hiptune::gpu
