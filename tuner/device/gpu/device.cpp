#include "gpu/device.hpp"

#include <algorithm>
#include <charconv>

#include "device/geometry_limits.hpp"
#include "gpu/device_scope.hpp"
#include "gpu/module.hpp"
#include "gpu/relaxed_capture.hpp"
#include "hiptune/error.hpp"
#include "problem/utf8.hpp"

namespace hiptune::gpu {
namespace {

int count_devices(std::string& reason) {
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  static_cast<void>(hipGetLastError());
  if (error == hipSuccess && count > 0) return count;
  reason = why_no_device(error);
  return 0;
}

std::string id_of(int index) { return std::string(kBackend) + ":" + std::to_string(index); }

int require_index(std::string_view options) {
  int index = 0;
  if (options.empty()) return index;
  const auto [end, error] = std::from_chars(options.data(), options.data() + options.size(), index);
  if (error == std::errc() && end == options.data() + options.size() && index >= 0) return index;
  throw bad_input("device '" + std::string(kBackend) + ":" + std::string(options) +
                  "': what follows the colon is a device's number, as in " + id_of(0));
}

void require(const DeviceScope& scope) { check("making the device current", scope.error()); }

hipStream_t to_stream(Stream stream) { return static_cast<hipStream_t>(stream); }

}  // namespace

std::vector<std::string> device_ids(std::string& reason) {
  std::vector<std::string> ids;
  const int count = count_devices(reason);
  for (int i = 0; i < count; ++i) ids.push_back(id_of(i));
  return ids;
}

std::unique_ptr<Device> open_device(std::string_view options) {
  return std::make_unique<GpuDevice>(require_index(options));
}

GpuDevice::GpuDevice(int index) : index_(index) {
  std::string reason;
  const int count = count_devices(reason);
  if (count == 0) throw unavailable("no device " + id_of(index) + ": " + reason);
  if (index >= count)
    throw unavailable("no device " + id_of(index) + "; there " +
                      (count == 1 ? "is " + id_of(0) : "are " + id_of(0) + " to " + id_of(count - 1)));
  const DeviceScope scope(index_);
  require(scope);
  target_ = describe(index_);
  target_.name = valid_utf8(target_.name);  // it becomes JSON
  target_.backend = kBackend;
  target_.id = id_of(index_);
}

GpuDevice::~GpuDevice() {
  const DeviceScope scope(index_);
  stopwatch_.reset();
}

void* GpuDevice::allocate(std::size_t bytes) {
  const DeviceScope scope(index_);
  require(scope);
  const RelaxedCapture relaxed;
  void* memory = nullptr;
  const hipError_t error = hipMalloc(&memory, std::max<std::size_t>(bytes, 1));
  if (error == hipErrorOutOfMemory) {
    static_cast<void>(hipGetLastError());
    std::size_t left = 0, all = 0;
    HIPTUNE_CALL(hipMemGetInfo(&left, &all));
    throw failed("cannot allocate " + std::to_string(bytes) + " bytes on " + target_.id + ": " + std::to_string(left) +
                 " of its " + std::to_string(all) + " are left");
  }
  check("hipMalloc", error);
  return memory;
}

void GpuDevice::release(void* memory) noexcept {
  const DeviceScope scope(index_);
  const RelaxedCapture relaxed;
  ignore(hipFree(memory));
}

void GpuDevice::copy_bytes(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Stream stream) const {
  if (bytes == 0) return;
  const DeviceScope scope(index_);
  require(scope);
  HIPTUNE_CALL(hipMemcpyAsync(to, from, bytes, kind, to_stream(stream)));
}

void GpuDevice::copy_in(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy_bytes(to, from, bytes, hipMemcpyHostToDevice, stream);
}

void GpuDevice::copy_out(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy_bytes(to, from, bytes, hipMemcpyDeviceToHost, stream);
}

void GpuDevice::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy_bytes(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

void GpuDevice::fill(void* to, std::byte value, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  const DeviceScope scope(index_);
  require(scope);
  HIPTUNE_CALL(hipMemsetAsync(to, std::to_integer<int>(value), bytes, to_stream(stream)));
}

std::unique_ptr<Module> GpuDevice::load(const CodeObject& code) {
  return std::make_unique<GpuModule>(index_, target_.facts, code);
}

void GpuDevice::launch(Function function, const Geometry& geometry, void* const* arguments, Stream stream) {
  require_geometry(geometry, target_.facts);
  const DeviceScope scope(index_);
  require(scope);
  check_launch("launching a kernel", gpu::launch(function, geometry, arguments, to_stream(stream)));
}

void GpuDevice::synchronize(Stream stream) {
  const DeviceScope scope(index_);
  require(scope);
  HIPTUNE_CALL(hipStreamSynchronize(to_stream(stream)));
}

DeviceTime GpuDevice::time(const std::function<void(Stream)>& enqueue) {
  const DeviceScope scope(index_);
  require(scope);
  if (!stopwatch_) stopwatch_.emplace();
  return stopwatch_->time(enqueue);
}

}  // namespace hiptune::gpu
