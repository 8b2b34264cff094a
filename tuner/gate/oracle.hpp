#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/loaded_plan.hpp"
#include "gate/inputs.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// The right results of a buffer, dense, row r beginning at r * cols. Guards lie before and behind them.
class OracleOutput {
 public:
  explicit OracleOutput(std::int64_t elements);  // not written yet
  [[nodiscard]] double* data() { return guarded_.data() + kGuard; }
  [[nodiscard]] const double* data() const { return guarded_.data() + kGuard; }
  [[nodiscard]] std::size_t size() const { return guarded_.size() - 2 * kGuard; }
  [[nodiscard]] const double* begin() const { return data(); }
  [[nodiscard]] const double* end() const { return data() + size(); }
  [[nodiscard]] double operator[](std::size_t element) const { return data()[element]; }
  [[nodiscard]] bool guards_intact() const;
  // The first, in row order; -1: there is none.
  [[nodiscard]] std::int64_t unwritten() const;

 private:
  static constexpr std::size_t kGuard = 1024;  // elements
  LargeVector<double> guarded_;
};

// Those of a problem, one per out or inout buffer in argument order.
using OracleOutputs = std::vector<OracleOutput>;

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
