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
  double at_shape = 0;  // absolute, on random inputs at the tuned shape
  std::string worst{};  // where `in_limits` was met: "rows=33 cols=257 dtype=f32 ramp epsilon=1e-05: y[3, 17]"

  void merge(const ErrorSummary& other);
};

struct Comparison {
  ErrorSummary errors;
  std::int64_t worst = -1;             // the element with the largest error in limits, in row order; -1: there is none
  std::optional<std::string> failure;  // that element: "[3, 17] is 0.5, the oracle says 0.25, limit 1e-6"
};

// "[3, 17]"
[[nodiscard]] std::string place_of_element(const BufferShape& shape, std::int64_t element);
// "[3, 17] is 0.5, the oracle says 0.25, limit 1e-6"
[[nodiscard]] std::string mismatch(const BufferShape& shape, std::int64_t element, double value, double oracle,
                                   const Limit& limit);
// A byte that belongs to no element, in words: "in the gap after row 3".
[[nodiscard]] std::string place_around(const BufferLayout& layout, std::size_t offset);

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
