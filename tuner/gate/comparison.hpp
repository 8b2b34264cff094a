#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/buffer_set.hpp"
#include "problem/variant.hpp"

namespace hiptune {

// The largest errors over the elements compared. `in_limits` is |value - oracle| / (atol + rtol |oracle|): 1 is the
// limit itself. `relative` leaves out elements for which the absolute limit is the larger one, and oracles of 0.
struct ErrorSummary {
  double absolute = 0;
  double relative = 0;
  double in_limits = 0;

  void merge(const ErrorSummary& other);
};

struct Comparison {
  ErrorSummary errors;
  std::optional<std::size_t> worst_offset;  // of that element, in bytes
  std::optional<std::string> failure;       // the worst element: "[3, 17] is 0.5, the oracle says 0.25, limit 1e-6"
};

// Every element of one buffer against the oracle's dense values. Where the oracle is NaN the element must be NaN,
// where it is infinite the same infinity, and finite where it is finite.
[[nodiscard]] Comparison compare(const BufferLayout& layout, std::span<const std::byte> image,
                                 std::span<const double> oracle, const Limit& limit);

// Whether two images of a buffer agree bit for bit in every element.
[[nodiscard]] bool same_elements(const BufferLayout& layout, std::span<const std::byte> one,
                                 std::span<const std::byte> other);

// The first byte outside the elements (guards and gaps) that differs between two images of a buffer, in words.
[[nodiscard]] std::optional<std::string> damaged_surroundings(const BufferLayout& layout,
                                                              std::span<const std::byte> before,
                                                              std::span<const std::byte> after);

}  // namespace hiptune
