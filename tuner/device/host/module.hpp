#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace hiptune::host {

class HostModule;

// What a Function of the host device points to.
struct KernelEntry {
  std::string name;
  void (*call)(void* const* arguments);
  const HostModule* module;
};

// A code object as a loaded shared library.
class HostModule final : public Module {
 public:
  // Throws Error(failed) when the code object is damaged, or made for another machine, wave size or version of hiptune,
  // or when the device is watched and the code is not, or the reverse.
  HostModule(const CodeObject& code, int wave_size, bool watched);
  [[nodiscard]] Function function(const std::string& entry) override;
  // Where it lies in memory.
  [[nodiscard]] std::span<const std::byte> image() const { return image_; }
  // The file, of a watched module: what its addresses mean can be looked up there.
  [[nodiscard]] std::span<const std::byte> file() const { return file_; }

 private:
  [[nodiscard]] void* symbol(const std::string& name) const;  // nullptr: there is none
  void connect(int wave_size, bool watched);

  std::unique_ptr<void, void (*)(void*)> library_;
  std::span<const std::byte> image_;
  std::vector<std::byte> file_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KernelEntry>> entries_;
};

}  // namespace hiptune::host
