#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace hiptune {

// Time spent so far, from any fixed origin. Real runs use a steady clock, tests a made-up one.
using Clock = std::function<Nanoseconds()>;

struct StopLimits {
  int min_samples = 5;
  int max_samples = 1000;
  Nanoseconds budget{5e8};               // wall time for all samples; the first min_samples are taken all the same
  double target_relative_error = 0.005;  // of the median
  // Two samples that are both above it are enough: whatever the median, it is not what is looked for.
  std::optional<double> hopeless_above = std::nullopt;
};

// When a variant has been sampled enough: three functions.
class StopRule {
 public:
  StopRule(const StopLimits& limits, Clock clock);
  void start();
  void add(double sample);
  [[nodiscard]] bool done() const;

  [[nodiscard]] const std::vector<double>& samples() const { return samples_; }

 private:
  [[nodiscard]] bool is_hopeless() const;

  StopLimits limits_;
  Clock clock_;
  Nanoseconds started_{0};
  std::vector<double> samples_;
};

}  // namespace hiptune
