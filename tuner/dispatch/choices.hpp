#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/catalog.hpp"

namespace hiptune {

// A configuration for calls whose batch size is at most `up_to`.
struct Breakpoint {
  std::int64_t up_to;  // product of the batch dimensions
  std::size_t entry;   // index into the catalog
};

// Which entries serve calls with these non-batch dimensions and traits, by batch size: sorted breakpoints, the last one
// unbounded. Only entries whose configuration is valid for the call take part. Among those, entries with the same
// non-batch dimensions and traits; if there are none, those of the nearest non-batch dimensions, distance being the
// sum of |log2(a / b)|, a differing trait counting as far as a factor of 2. Between two tuned batch sizes the border is
// their geometric mean. Empty: nothing is valid, the fallback serves.
[[nodiscard]] std::vector<Breakpoint> choose(const Space& space, const Catalog& catalog, const Problem& call,
                                             const TargetFacts& facts);

// The product of the batch dimensions, saturating.
[[nodiscard]] std::int64_t batch_size(std::span<const std::int64_t> batch_values) noexcept;

}  // namespace hiptune
