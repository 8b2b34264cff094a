#include <cstdlib>
#include <cstring>
#include <iostream>

#include "device/backend_module.hpp"

// libhiptune_amd.so as tests load it in place of the real one: the CPU, with a fault that no CPU has. A launch of
// blocks of 64 threads loses the device, as a GPU's page fault does: it shows at the next call that waits, and then
// every call fails. With MADE_UP_GPU=aborts, already counting the devices ends the process; with
// MADE_UP_GPU="second aborts" there are two, and opening the second does; with MADE_UP_GPU=small
// its blocks have at most 64 threads.
namespace hiptune {
namespace {

bool is_wished(const char* what) {
  const char* wish = std::getenv("MADE_UP_GPU");
  return wish != nullptr && std::strcmp(wish, what) == 0;
}

class MadeUpGpu : public Device {
 public:
  MadeUpGpu() : cpu_(open_device("host", {})), target_(cpu_->target()) {
    target_.backend = "amd";
    target_.id = "amd:0";
    target_.name = "Made-up GPU";
    if (is_wished("small")) target_.facts.max_block_threads = 64;
  }

  [[nodiscard]] const Target& target() const override { return target_; }
  void* allocate(std::size_t bytes) override { return alive().allocate(bytes); }
  void release(void* memory) noexcept override { cpu_->release(memory); }
  void copy_in(void* to, const void* from, std::size_t bytes, Stream stream) override {
    alive().copy_in(to, from, bytes, stream);
  }
  void copy_out(void* to, const void* from, std::size_t bytes, Stream stream) override {
    alive().copy_out(to, from, bytes, stream);
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    alive().copy(to, from, bytes, stream);
  }
  void fill(void* to, std::byte value, std::size_t bytes, Stream stream) override {
    alive().fill(to, value, bytes, stream);
  }
  std::unique_ptr<Module> load(const CodeObject& code) override { return alive().load(code); }
  void launch(Function function, const Geometry& geometry, void* const* arguments, Stream stream) override {
    if (geometry.threads_per_block() == 64)
      lost_ = true;
    else
      alive().launch(function, geometry, arguments, stream);
  }
  void synchronize(Stream stream) override { alive().synchronize(stream); }
  DeviceTime time(const std::function<void(Stream)>& enqueue) override { return alive().time(enqueue); }

 private:
  Device& alive() {
    if (lost_)
      throw DeviceLost("hipStreamSynchronize: an illegal memory access was encountered (hipErrorIllegalAddress)");
    return *cpu_;
  }

  std::unique_ptr<Device> cpu_;
  Target target_;
  bool lost_ = is_wished("is lost");
};

[[noreturn]] void abort_as_a_vendor_does() {
  std::cerr << "the vendor's last words" << std::endl;
  std::abort();
}

std::vector<std::string> devices(const DeviceSettings&, std::string&) {
  if (is_wished("aborts")) abort_as_a_vendor_does();
  if (is_wished("second aborts")) return {"amd:0", "amd:1"};
  return {"amd:0"};
}

std::unique_ptr<Device> open(std::string_view options, const DeviceSettings&) {
  if (is_wished("second aborts") && options == "1") abort_as_a_vendor_does();
  return std::make_unique<MadeUpGpu>();
}

}  // namespace
}  // namespace hiptune

extern "C" __attribute__((visibility("default"))) const hiptune::DeviceModule* hiptune_device_module(
    const char*) noexcept {
  static const hiptune::DeviceModule module{hiptune::devices, hiptune::open};
  return &module;
}
