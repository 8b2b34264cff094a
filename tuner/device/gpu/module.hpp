#pragma once

#include <map>
#include <memory>
#include <string>

#include "gpu/runtime.hpp"

namespace hiptune::gpu {

// A loaded code object and the kernels that were asked for.
class GpuModule final : public Module {
 public:
  // Throws Error(failed) with the vendor's words when the code object does not load.
  GpuModule(int device, const TargetFacts& facts, const CodeObject& code);
  ~GpuModule() override;
  GpuModule(const GpuModule&) = delete;
  GpuModule& operator=(const GpuModule&) = delete;
  [[nodiscard]] Function function(const std::string& entry) override;

 private:
  int device_;
  TargetFacts facts_;
  Library library_ = nullptr;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace hiptune::gpu
