#include "measure/pace.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace hiptune {
namespace {

// Of these the median: a single one may be an outlier.
constexpr int kLook = 3;
constexpr int kFirstLook = 9;
constexpr double kDrift = 0.03;
constexpr double kThrottled = 0.10;
constexpr int kMostRetakes = 2;
constexpr double kNoiseExplains = 4;  // standard errors
constexpr int kPauses = 4, kLooksPerPause = 10;

std::vector<double> samples_of(const std::function<Nanoseconds()>& reference, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(reference().count());
  return samples;
}

}  // namespace

Pace::Pace(std::function<Nanoseconds()> reference, std::function<void()> pause)
    : reference_(std::move(reference)), pause_(std::move(pause)) {
  Summary summary = summarize(samples_of(reference_, kFirstLook));
  first_ = summary.median;
  summary.samples = kLook;
  noise_ = summary.relative_error();
}

double Pace::now() {
  latest_ = median(samples_of(reference_, kLook)) / first_;
  best_ = std::min(best_, latest_);
  ++looks_;
  return latest_;
}

bool Pace::has_changed(double before, double after) const {
  return std::abs(after / before - 1) > std::max(kDrift, kNoiseExplains * std::sqrt(2.0) * noise_);
}

bool Pace::pause() {
  if (pauses_ >= kPauses + looks_ / kLooksPerPause) return false;
  ++pauses_;
  pause_();
  return true;
}

void Pace::settle(double before, double after) {
  best_ = latest_;
  noise_ = std::max(noise_, std::abs(after / before - 1) / (kNoiseExplains * std::sqrt(2.0)));
}

bool Pace::is_throttled(double pace) const {
  return pace > best_ * (1 + std::max(kThrottled, 2 * kNoiseExplains * noise_));
}

PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take) {
  PacedSamples taken;
  for (;; ++taken.retakes) {
    const double before = pace.now();
    taken.ns = take();
    const double after = pace.now();
    taken.pace = (before + after) / 2;
    taken.is_steady = !pace.has_changed(before, after) && !pace.is_throttled(std::max(before, after));
    if (taken.is_steady) return taken;
    if (taken.retakes < kMostRetakes && pace.pause()) continue;
    pace.settle(before, after);
    return taken;
  }
}

}  // namespace hiptune
