#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "gate/cases.hpp"
#include "gate/comparison.hpp"
#include "gate/device_checker.hpp"

namespace hiptune {

struct GateReport {
  std::optional<std::string> failure;  // none: passed. "rows=3 cols=13 … zeros: y[1, 2] is nan, the oracle says …"
  ErrorSummary errors;
  int checks = 0;
};

// The buffers of one case: what they hold before a launch, and whether what they hold after it is right. The second run
// of a case must also leave the same results as the first. For one thread.
class Judge {
 public:
  virtual ~Judge() = default;
  // Of element [0, 0] of each buffer, in argument order.
  [[nodiscard]] virtual std::vector<void*> addresses() const = 0;
  // As the kernel meets them.
  [[nodiscard]] virtual const std::vector<BufferLayout>& layouts() const = 0;
  virtual void set_up(std::byte poison) = 0;
  // Surroundings, inputs, outputs: what is wrong first goes into the report, and the errors.
  virtual void judge(GateReport& report) = 0;
};

// Compares on the CPU what it reads back: for small cases. Throws Error(failed) when the device has no memory for them.
[[nodiscard]] std::unique_ptr<Judge> host_judge(Device& device, const GateCase& gate_case, const Limit& limit);

// A case's inputs and right results in device memory.
class ResidentImages {
 public:
  ResidentImages(Device& device, const GateCase& gate_case);
  // Of a buffer; null where it has none.
  [[nodiscard]] const void* source(std::size_t buffer) const { return sources_[buffer].data(); }
  [[nodiscard]] const void* oracle(std::size_t buffer) const { return oracle_[buffer].data(); }

 private:
  std::vector<DeviceMemory> sources_, oracle_;
};

// Compares on the device, with kernels of its own. Of `gate_case`, images and oracle are not used.
[[nodiscard]] std::unique_ptr<Judge> device_judge(Device& device, DeviceChecker& checker, const GateCase& gate_case,
                                                  const ResidentImages& images, const Limit& limit);

// Copies whole images, guards included, to or from a set of buffers. Waits for the copies.
void upload(Device& device, const BufferSet& set, const Images& images);
[[nodiscard]] Images download(Device& device, const BufferSet& set);

}  // namespace hiptune
