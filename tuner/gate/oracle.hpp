#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/loaded_plan.hpp"
#include "gate/inputs.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// The right outputs of a problem, dense in double, one vector per out or inout buffer in argument order.
using OracleOutputs = std::vector<std::vector<double>>;

// NAME.reference.hip on the CPU device. One per dtype and traits; for one thread at a time.
class Oracle {
 public:
  // `host` must be a device whose memory is the process's own. Throws Error(bad_input) with the compiler's log when
  // the reference does not compile.
  Oracle(const Kernel& kernel, const Problem& problem, Device& host, Compiler& compiler);

  [[nodiscard]] OracleOutputs outputs(const Problem& problem, const std::vector<BufferLayout>& layouts,
                                      const Images& images, const std::vector<double>& scalars) const;

 private:
  const Kernel* kernel_;
  Device* host_;
  std::unique_ptr<LoadedPlan> plan_;
};

}  // namespace hiptune
