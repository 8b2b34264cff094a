#include "dispatch/choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/config.hpp"
#include "problem/variant.hpp"

namespace hiptune {
namespace {

double distance(const Space& space, const Problem& a, const Problem& b) {
  double sum = 0;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i)
    if (!space.dimensions[i].batch)
      sum += std::abs(std::log2(static_cast<double>(a.dimensions[i]) / static_cast<double>(b.dimensions[i])));
  for (std::size_t i = 0; i < a.traits.size(); ++i) sum += a.traits[i] == b.traits[i] ? 0 : 1;
  return sum;
}

struct Candidate {
  double distance;
  std::int64_t batch;
  std::size_t entry;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

std::vector<Candidate> valid_candidates(const Space& space, const Catalog& catalog, const Problem& call,
                                        const TargetFacts& facts) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < catalog.entries.size(); ++i) {
    const TunedProblem& entry = catalog.entries[i];
    if (why_invalid(space, call, facts, entry.config)) continue;
    candidates.push_back({distance(space, call, entry.problem), batch_size(batch_values(space, entry.problem)), i});
  }
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

std::int64_t border(std::int64_t smaller, std::int64_t larger) {
  return static_cast<std::int64_t>(std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

}  // namespace

std::int64_t batch_size(std::span<const std::int64_t> batch_values) noexcept {
  std::int64_t product = 1;
  for (std::int64_t value : batch_values)
    if (__builtin_mul_overflow(product, value, &product)) return std::numeric_limits<std::int64_t>::max();
  return product;
}

std::vector<Breakpoint> choose(const Space& space, const Catalog& catalog, const Problem& call,
                               const TargetFacts& facts) {
  const std::vector<Candidate> candidates = valid_candidates(space, catalog, call, facts);
  std::vector<Breakpoint> breakpoints;
  for (std::size_t i = 0; i < candidates.size() && candidates[i].distance == candidates.front().distance; ++i) {
    const bool repeated = i > 0 && candidates[i].batch == candidates[i - 1].batch;
    if (repeated) continue;  // equally near on either side: the earlier entry stands
    if (i > 0) breakpoints.back().up_to = border(candidates[i - 1].batch, candidates[i].batch);
    breakpoints.push_back({std::numeric_limits<std::int64_t>::max(), candidates[i].entry});
  }
  return breakpoints;
}

}  // namespace hiptune
