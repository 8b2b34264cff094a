#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace hiptune {

namespace {

// Of normal samples that are so far from their median.
double deviation_of(std::span<const double> distances) {
  if (const double typical = median(distances); typical > 0) return 1.4826 * typical;
  return 1.2533 * std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
}

}  // namespace

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

std::vector<std::size_t> outliers(std::span<const double> samples) {
  constexpr double kFar = 5;
  std::vector<std::size_t> found;
  if (samples.empty()) return found;
  const double middle = median(samples);
  std::vector<double> distances;
  for (const double sample : samples) distances.push_back(std::abs(sample - middle));
  const double limit = kFar * deviation_of(distances);
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (distances[i] > limit) found.push_back(i);
  return found;
}

bool is_tie(const Summary& a, const Summary& b, double within) {
  const double difference = std::abs(a.median - b.median);
  const double error = std::hypot(a.relative_error() * a.median, b.relative_error() * b.median);
  return difference <= within * std::min(a.median, b.median) && difference <= 2 * error;
}

}  // namespace hiptune
