#include "measure/stop_rule.hpp"

#include <algorithm>

#include "measure/statistics.hpp"

namespace hiptune {

StopRule::StopRule(const StopLimits& limits, Clock clock) : limits_(limits), clock_(std::move(clock)) {}

void StopRule::start() {
  samples_.clear();
  started_ = clock_();
}

void StopRule::add(double sample) { samples_.push_back(sample); }

bool StopRule::is_hopeless() const {
  constexpr std::size_t kEnough = 2;
  return limits_.hopeless_above && samples_.size() >= kEnough &&
         std::ranges::all_of(samples_, [&](double sample) { return sample > *limits_.hopeless_above; });
}

bool StopRule::done() const {
  const auto count = static_cast<int>(samples_.size());
  if (is_hopeless()) return true;
  if (count < limits_.min_samples) return false;
  if (count >= limits_.max_samples || clock_() - started_ >= limits_.budget) return true;
  return summarize(samples_).relative_error() <= limits_.target_relative_error;
}

}  // namespace hiptune
