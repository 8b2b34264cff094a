#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "cache/code_store.hpp"
#include "device/device.hpp"
#include "dispatch/ready_plan.hpp"
#include "hiptune/options.hpp"
#include "problem/kernel.hpp"

namespace hiptune::detail {

// Device, compiler and paths of a dispatcher, shared by its bindings. Any thread.
class DispatcherState {
 public:
  explicit DispatcherState(const Options& options);

  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] const KernelPath& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& caches() const { return caches_; }

  // Compiles the variant or finds it in the store of code objects, and loads it. See make_ready.
  [[nodiscard]] ReadyPlan load(const Variant& variant, const Space& space, const Problem& problem, const Config& config,
                               const std::vector<std::string>& varying) const;

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;  // none: only stored code objects can be used
  KernelPath kernels_;
  std::vector<std::filesystem::path> caches_;  // the user's, if there is one, then the shipped one
  CodeStore code_;
  mutable std::mutex loading_;  // a device loads for one thread at a time
};

}  // namespace hiptune::detail
