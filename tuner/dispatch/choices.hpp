#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dispatch/catalog.hpp"

namespace hiptune {

// A configuration for calls whose batch size is at most `up_to`.
struct Breakpoint {
  std::int64_t up_to;  // product of the batch dimensions
  std::size_t entry;   // index into the entries
};

// An entry for just these batch dimensions, where several of them have the same product.
struct ExactBatch {
  std::vector<std::int64_t> batch;
  std::size_t entry;
};

struct Choices {
  std::vector<Breakpoint> breakpoints;  // sorted, the last one unbounded; empty: nothing is valid
  std::vector<ExactBatch> exact;        // sorted; only where there are several batch dimensions
};

// Which entries serve calls with these non-batch dimensions and traits, by batch size. Only entries whose configuration
// is valid for the call take part. Among those, entries with the same non-batch dimensions and traits; if there are
// none, those of the nearest non-batch dimensions, distance being the sum of |log2(a / b)|, a differing trait counting
// as far as a factor of 2. Between two tuned batch sizes the border is their geometric mean.
[[nodiscard]] Choices choose(const Space& space, std::span<const TunedProblem> entries, const Problem& call,
                             const TargetFacts& facts);

// The entry that serves these batch dimensions; none where nothing is valid.
[[nodiscard]] std::optional<std::size_t> entry_for(const Choices& choices, std::span<const std::int64_t> batch_values);

// The product of the batch dimensions, saturating.
[[nodiscard]] std::int64_t batch_size(std::span<const std::int64_t> batch_values) noexcept;

}  // namespace hiptune
