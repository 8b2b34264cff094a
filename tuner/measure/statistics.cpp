#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace hiptune {

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) throw std::logic_error("a quantile of no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double Summary::relative_error() const {
  if (median == 0 || samples == 0) return 0;
  return 1.2533 * (spread / 0.6745) / std::sqrt(samples) / median;
}

Summary summarize(std::span<const double> samples) {
  return {median(samples), (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2, static_cast<int>(samples.size())};
}

bool is_tie(const Summary& a, const Summary& b, double within) {
  const double difference = std::abs(a.median - b.median);
  const double error = std::hypot(a.relative_error() * a.median, b.relative_error() * b.median);
  return difference <= within * std::min(a.median, b.median) && difference <= 2 * error;
}

}  // namespace hiptune
