#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hiptune {

// Middle value; of an even count, the mean of the middle two. Requires at least one sample.
[[nodiscard]] double median(std::span<const double> samples);

// The q-quantile (0 <= q <= 1), linear between order statistics. Requires at least one sample.
[[nodiscard]] double quantile(std::span<const double> samples, double q);

struct Summary {
  double median = 0;
  double spread = 0;  // half the width of the central 50 %
  int samples = 0;

  // Standard error of the median over the median: 1.2533 sigma / sqrt(n), with sigma = spread / 0.6745, both as for a
  // normal distribution (Kenney and Keeping, Mathematics of Statistics, 1962). 0 for a median of 0.
  [[nodiscard]] double relative_error() const;
};
[[nodiscard]] Summary summarize(std::span<const double> samples);

// Indices of the samples that lie further than 5 standard deviations from the median, ascending. The deviation is that
// of a normal distribution with the samples' median absolute deviation, 1.4826 MAD, or where that is 0, as half of them
// are equal, with their mean absolute deviation, 1.2533 times it (Iglewicz and Hoaglin, How to Detect and Handle
// Outliers, 1993). They suggest 3.5, which marks something in 10 % of all runs of 20 normal samples, and 5 in 1.5 %.
[[nodiscard]] std::vector<std::size_t> outliers(std::span<const double> samples);

// Whether two medians cannot be told apart: within `within` of the smaller, and by less than two standard errors.
[[nodiscard]] bool is_tie(const Summary& a, const Summary& b, double within);

}  // namespace hiptune
