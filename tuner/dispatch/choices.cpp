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

std::vector<Candidate> nearest_candidates(const Space& space, std::span<const TunedProblem> entries,
                                          const Problem& call, const TargetFacts& facts) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (why_invalid(space, call, facts, entries[i].config)) continue;
    const std::int64_t batch = batch_size(batch_values(space, entries[i].problem));
    candidates.push_back({distance(space, call, entries[i].problem), batch, i});
  }
  std::sort(candidates.begin(), candidates.end());
  std::erase_if(candidates, [nearest = candidates.empty() ? 0 : candidates.front().distance](
                                const Candidate& candidate) { return candidate.distance != nearest; });
  return candidates;
}

// At least `smaller` and below `larger`, so that each tuned batch size gets its own entry.
std::int64_t border(std::int64_t smaller, std::int64_t larger) {
  const double mean = std::sqrt(static_cast<double>(smaller)) * std::sqrt(static_cast<double>(larger));
  if (mean >= static_cast<double>(larger)) return larger - 1;
  return std::clamp(static_cast<std::int64_t>(mean), smaller, larger - 1);
}

std::vector<Breakpoint> breakpoints_of(const std::vector<Candidate>& candidates) {
  std::vector<Breakpoint> breakpoints;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool repeated = i > 0 && candidates[i].batch == candidates[i - 1].batch;
    if (repeated) continue;  // equally near on either side: the earlier entry stands
    if (i > 0) breakpoints.back().up_to = border(candidates[i - 1].batch, candidates[i].batch);
    breakpoints.push_back({std::numeric_limits<std::int64_t>::max(), candidates[i].entry});
  }
  return breakpoints;
}

std::vector<ExactBatch> exact_batches(const Space& space, std::span<const TunedProblem> entries,
                                      const std::vector<Candidate>& candidates) {
  std::vector<ExactBatch> exact;
  if (space.batch_dimensions().size() < 2) return exact;
  for (const Candidate& candidate : candidates)
    if (candidate.distance == 0)
      exact.push_back({batch_values(space, entries[candidate.entry].problem), candidate.entry});
  std::sort(exact.begin(), exact.end(), [](const auto& a, const auto& b) { return a.batch < b.batch; });
  return exact;
}

}  // namespace

std::int64_t batch_size(std::span<const std::int64_t> batch_values) noexcept {
  std::int64_t product = 1;
  for (std::int64_t value : batch_values)
    if (__builtin_mul_overflow(product, value, &product)) return std::numeric_limits<std::int64_t>::max();
  return product;
}

std::optional<std::size_t> entry_for(const Choices& choices, std::span<const std::int64_t> batch_values) {
  for (const ExactBatch& one : choices.exact)
    if (std::ranges::equal(one.batch, batch_values)) return one.entry;
  for (const Breakpoint& point : choices.breakpoints)
    if (batch_size(batch_values) <= point.up_to) return point.entry;
  return std::nullopt;
}

Choices choose(const Space& space, std::span<const TunedProblem> entries, const Problem& call,
               const TargetFacts& facts) {
  const std::vector<Candidate> candidates = nearest_candidates(space, entries, call, facts);
  return {breakpoints_of(candidates), exact_batches(space, entries, candidates)};
}

}  // namespace hiptune
