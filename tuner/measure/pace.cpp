#include "measure/pace.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace hiptune {
namespace {

// Of these the median: a single one may be an outlier.
constexpr int kReferenceSamples = 3;
constexpr double kDrift = 0.03;
constexpr double kThrottled = 1.10;
constexpr int kMostRetakes = 3;

bool is_drifting(double before, double after) { return std::abs(after / before - 1) > kDrift; }

}  // namespace

Pace::Pace(std::function<Nanoseconds()> reference, std::function<void()> pause)
    : reference_(std::move(reference)), pause_(std::move(pause)) {}

double Pace::now() {
  std::vector<double> samples;
  for (int i = 0; i < kReferenceSamples; ++i) samples.push_back(reference_().count());
  const double time = median(samples);
  if (!first_) first_ = time;
  latest_ = time / *first_;
  best_ = std::min(best_, latest_);
  return latest_;
}

bool Pace::is_throttled(double pace) const { return pace > kThrottled * best_; }

PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take) {
  PacedSamples taken;
  for (;; ++taken.retakes) {
    const double before = pace.now();
    taken.ns = take();
    const double after = pace.now();
    taken.pace = (before + after) / 2;
    taken.is_steady = !is_drifting(before, after) && !pace.is_throttled(std::max(before, after));
    if (taken.is_steady) return taken;
    if (taken.retakes == kMostRetakes) break;
    pace.pause();
  }
  pace.settle();
  return taken;
}

}  // namespace hiptune
