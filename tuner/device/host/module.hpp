#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/device.hpp"

namespace hiptune::host {

// What a Function of the host device points to.
struct KernelEntry {
  std::string name;
  void (*call)(void* const* arguments);
};

// A code object as a loaded shared library.
class HostModule final : public Module {
 public:
  // Throws Error(failed) when the code object is damaged, or made for another machine, wave size or version of hiptune.
  HostModule(const CodeObject& code, int wave_size);
  [[nodiscard]] Function function(const std::string& entry) override;

 private:
  [[nodiscard]] void* symbol(const std::string& name) const;  // nullptr: there is none
  void connect(int wave_size);

  std::unique_ptr<void, void (*)(void*)> library_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KernelEntry>> entries_;
};

}  // namespace hiptune::host
