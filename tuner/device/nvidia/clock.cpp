#include "nvidia/clock.hpp"

#include <dlfcn.h>

// NVML comes with the driver, but containers may lack it, and all but clocks can be had without: it is looked for when
// a clock is first asked for, and not linked. The types are those of nvml.h, which not every toolkit installs.
namespace hiptune::nvidia {
namespace {

using NvmlDevice = struct nvmlDevice_st*;
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;

// Open until the process ends: another user of NVML in this process has its own reference.
struct Nvml {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)() = nullptr;
  int (*find)(const char* pci_bus_id, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int which, unsigned* mhz) = nullptr;
  bool is_ready = false;

  Nvml() {
    is_ready = load("nvmlInit_v2", init) && load("nvmlDeviceGetHandleByPciBusId_v2", find) &&
               load("nvmlDeviceGetClockInfo", clock) && init() == kNvmlSuccess;
  }

 private:
  template <class Function>
  [[nodiscard]] bool load(const char* name, Function& function) const {
    function = library == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
  }
};

}  // namespace

std::optional<double> clock_mhz(const char* pci_bus_id) {
  static const Nvml nvml;
  NvmlDevice device = nullptr;
  unsigned mhz = 0;
  if (!nvml.is_ready || nvml.find(pci_bus_id, &device) != kNvmlSuccess) return std::nullopt;
  if (nvml.clock(device, kNvmlClockSm, &mhz) != kNvmlSuccess || mhz == 0) return std::nullopt;
  return mhz;
}

}  // namespace hiptune::nvidia
