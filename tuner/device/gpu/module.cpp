#include "gpu/module.hpp"

#include "gpu/check.hpp"
#include "gpu/device_scope.hpp"
#include "gpu/relaxed_capture.hpp"
#include "hiptune/error.hpp"

namespace hiptune::gpu {

GpuModule::GpuModule(int device, const TargetFacts& facts, const CodeObject& code) : device_(device), facts_(facts) {
  const DeviceScope scope(device_);
  check("making the device current", scope.error());
  const RelaxedCapture relaxed;
  check("loading a code object", load(library_, code.bytes));
}

GpuModule::~GpuModule() {
  const DeviceScope scope(device_);
  const RelaxedCapture relaxed;
  unload(library_);
}

Function GpuModule::function(const std::string& entry) {
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return known->second;
  const DeviceScope scope(device_);
  const RelaxedCapture relaxed;
  Kernel kernel = nullptr;
  const hipError_t error = find_kernel(kernel, library_, entry, facts_);
  const std::string call = "the entry point '" + entry + "'";
  check(call.c_str(), error);
  return kernels_[entry] = kernel;
}

}  // namespace hiptune::gpu
