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
// Of the clock. Sensors count in steps (15 of the H200's 1980 MHz), and a boost moves by a few.
constexpr double kDrop = 0.05;
constexpr double kThrottledDrop = 0.10;
constexpr int kMostRetakes = 2;
constexpr double kNoiseExplains = 4;  // standard errors
constexpr int kPauses = 4, kLooksPerPause = 10;

// As a share; 0 where it did not fall, or cannot be read.
double drop(std::optional<double> from_mhz, std::optional<double> to_mhz) {
  return from_mhz && to_mhz ? std::max(0.0, 1 - *to_mhz / *from_mhz) : 0;
}

// Between two of these clocks, by chance.
double drop_of_noise(std::span<const double> clocks) {
  if (clocks.empty()) return 0;
  const Summary summary = summarize(clocks);
  const double sigma = summary.spread / 0.6745 / summary.median;
  return kNoiseExplains * std::sqrt(2.0) * sigma;
}

std::optional<ClockSpan> span_of(const Look& before, const Look& after) {
  if (!before.clock_mhz || !after.clock_mhz) return std::nullopt;
  return ClockSpan{*before.clock_mhz, *after.clock_mhz};
}

}  // namespace

Pace::Pace(std::function<Nanoseconds()> reference, std::function<void()> pause,
           std::function<std::optional<double>()> clock_mhz)
    : reference_(std::move(reference)), pause_(std::move(pause)), clock_mhz_(std::move(clock_mhz)) {
  std::vector<double> times, clocks;
  for (int i = 0; i < kFirstLook; ++i) {
    times.push_back(reference_().count());
    if (const std::optional<double> mhz = clock_mhz_()) clocks.push_back(*mhz);
  }
  Summary summary = summarize(times);
  first_ = summary.median;
  summary.samples = kLook;
  noise_ = summary.relative_error();
  usual_drop_ = drop_of_noise(clocks);
}

Look Pace::now() {
  std::vector<double> times;
  for (int i = 0; i < kLook; ++i) times.push_back(reference_().count());
  latest_ = {median(times) / first_, clock_mhz_()};
  best_.pace = std::min(best_.pace, latest_.pace);
  best_.clock_mhz = std::max(best_.clock_mhz, latest_.clock_mhz);  // none is less than any
  ++looks_;
  return latest_;
}

bool Pace::has_changed(const Look& before, const Look& after) const {
  return std::abs(after.pace / before.pace - 1) > std::max(kDrift, kNoiseExplains * std::sqrt(2.0) * noise_) ||
         drop(before.clock_mhz, after.clock_mhz) > std::max(kDrop, usual_drop_);
}

bool Pace::is_throttled(const Look& before, const Look& after) const {
  const double limit = best_.pace * (1 + std::max(kThrottled, 2 * kNoiseExplains * noise_));
  return std::max(before.pace, after.pace) > limit ||
         drop(best_.clock_mhz, after.clock_mhz) > std::max(kThrottledDrop, 1.5 * usual_drop_);
}

bool Pace::pause() {
  if (pauses_ >= kPauses + looks_ / kLooksPerPause) return false;
  ++pauses_;
  pause_();
  return true;
}

void Pace::settle(const Look& before, const Look& after) {
  best_ = latest_;
  noise_ = std::max(noise_, std::abs(after.pace / before.pace - 1) / (kNoiseExplains * std::sqrt(2.0)));
  usual_drop_ = std::max(usual_drop_, drop(before.clock_mhz, after.clock_mhz));
}

PacedSamples take_paced(Pace& pace, const std::function<std::vector<double>()>& take) {
  PacedSamples taken;
  for (;; ++taken.retakes) {
    const Look before = pace.now();
    taken.ns = take();
    const Look after = pace.now();
    taken.pace = (before.pace + after.pace) / 2;
    taken.clock = span_of(before, after);
    taken.is_steady = !pace.has_changed(before, after) && !pace.is_throttled(before, after);
    if (taken.is_steady) return taken;
    if (taken.retakes < kMostRetakes && pace.pause()) continue;
    pace.settle(before, after);
    return taken;
  }
}

}  // namespace hiptune
