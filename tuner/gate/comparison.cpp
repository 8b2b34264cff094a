#include "gate/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <spdlog/fmt/fmt.h>

namespace hiptune {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Errors of one element; infinite when one of the two is not finite and they are not the same.
ErrorSummary element_errors(double value, double oracle, const Limit& limit) {
  if (!std::isfinite(oracle) || !std::isfinite(value)) {
    const bool same = std::isnan(oracle) ? std::isnan(value) : value == oracle;
    return same ? ErrorSummary{} : ErrorSummary{kInfinity, kInfinity, kInfinity};
  }
  const double absolute = std::abs(value - oracle);
  if (absolute == 0) return {};
  const double allowed = limit.atol + limit.rtol * std::abs(oracle);
  const bool is_relative = oracle != 0 && limit.rtol * std::abs(oracle) >= limit.atol;
  return {absolute, is_relative ? absolute / std::abs(oracle) : 0, allowed == 0 ? kInfinity : absolute / allowed};
}

// As text; the sign of a NaN means nothing.
std::string text_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value); }

// Whether `offset` lies in an element of the buffer.
bool is_element(const BufferLayout& layout, std::size_t offset) {
  if (offset < layout.first_byte || layout.shape.elements() == 0) return false;
  const auto element = static_cast<std::int64_t>((offset - layout.first_byte) / size_of(layout.shape.type));
  const std::int64_t row = layout.stride == 0 ? 0 : element / layout.stride;
  return row < layout.shape.rows && element - row * layout.stride < layout.shape.cols;
}

std::string place_of(const BufferLayout& layout, std::size_t offset) {
  if (offset < layout.first_byte) return fmt::format("{} bytes before its first element", layout.first_byte - offset);
  const auto element = static_cast<std::int64_t>((offset - layout.first_byte) / size_of(layout.shape.type));
  const std::int64_t span = layout.shape.span(layout.stride);
  if (element >= span) return fmt::format("{} elements past its end", element - span + 1);
  return fmt::format("in the gap after row {}", element / layout.stride);
}

}  // namespace

void ErrorSummary::merge(const ErrorSummary& other) {
  absolute = std::max(absolute, other.absolute);
  relative = std::max(relative, other.relative);
  in_limits = std::max(in_limits, other.in_limits);
}

Comparison compare(const BufferLayout& layout, std::span<const std::byte> image, std::span<const double> oracle,
                   const Limit& limit) {
  Comparison result;
  std::int64_t worst = -1;
  double worst_in_limits = 1.0;
  for (std::int64_t row = 0; row < layout.shape.rows; ++row) {
    for (std::int64_t col = 0; col < layout.shape.cols; ++col) {
      const std::int64_t index = row * layout.shape.cols + col;
      const double value = load_as_double(image.data() + layout.offset(row, col), layout.shape.type);
      const ErrorSummary errors = element_errors(value, oracle[static_cast<std::size_t>(index)], limit);
      result.errors.merge(errors);
      if (errors.in_limits > worst_in_limits) worst_in_limits = errors.in_limits, worst = index;
    }
  }
  if (worst < 0) return result;
  const std::int64_t row = worst / layout.shape.cols, col = worst % layout.shape.cols;
  const double value = load_as_double(image.data() + layout.offset(row, col), layout.shape.type);
  const double expected = oracle[static_cast<std::size_t>(worst)];
  result.worst_offset = layout.offset(row, col);
  result.failure = fmt::format("[{}, {}] is {}, the oracle says {}, limit {:.3g}", row, col, text_of(value),
                               text_of(expected), limit.atol + limit.rtol * std::abs(expected));
  return result;
}

bool same_elements(const BufferLayout& layout, std::span<const std::byte> one, std::span<const std::byte> other) {
  for (std::int64_t row = 0; row < layout.shape.rows; ++row) {
    const std::size_t offset = layout.offset(row, 0);
    if (std::memcmp(one.data() + offset, other.data() + offset, layout.row_bytes()) != 0) return false;
  }
  return true;
}

std::optional<std::string> damaged_surroundings(const BufferLayout& layout, std::span<const std::byte> before,
                                                std::span<const std::byte> after) {
  auto from = before.begin();
  while (true) {
    const auto [left, right] = std::mismatch(from, before.end(), after.begin() + (from - before.begin()));
    if (left == before.end()) return std::nullopt;
    const auto offset = static_cast<std::size_t>(left - before.begin());
    if (!is_element(layout, offset)) return place_of(layout, offset);
    from = left + 1;
  }
}

}  // namespace hiptune
