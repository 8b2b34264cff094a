#include "gate/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <spdlog/fmt/fmt.h>

namespace hiptune {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ElementErrors {
  double absolute = 0, relative = 0, in_limits = 0;
};

// Infinite when one of the two is not finite and they are not the same.
ElementErrors element_errors(double value, double oracle, const Limit& limit) {
  if (!std::isfinite(oracle) || !std::isfinite(value)) {
    const bool same = std::isnan(oracle) ? std::isnan(value) : value == oracle;
    return same ? ElementErrors{} : ElementErrors{kInfinity, kInfinity, kInfinity};
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

}  // namespace

void ErrorSummary::merge(const ErrorSummary& other) {
  if (worst.empty() || other.in_limits > in_limits) worst = other.worst;
  absolute = std::max(absolute, other.absolute);
  relative = std::max(relative, other.relative);
  in_limits = std::max(in_limits, other.in_limits);
  at_shape = std::max(at_shape, other.at_shape);
}

std::string place_of_element(const BufferShape& shape, std::int64_t element) {
  return fmt::format("[{}, {}]", element / shape.cols, element % shape.cols);
}

std::string mismatch(const BufferShape& shape, std::int64_t element, double value, double oracle, const Limit& limit) {
  return fmt::format("{} is {}, the oracle says {}, limit {:.3g}", place_of_element(shape, element), text_of(value),
                     text_of(oracle), limit.atol + limit.rtol * std::abs(oracle));
}

std::string place_around(const BufferLayout& layout, std::size_t offset) {
  if (offset < layout.first_byte) return fmt::format("{} bytes before its first element", layout.first_byte - offset);
  const auto element = static_cast<std::int64_t>((offset - layout.first_byte) / size_of(layout.shape.type));
  const std::int64_t span = layout.shape.span(layout.stride);
  if (element >= span) return fmt::format("{} elements past its end", element - span + 1);
  return fmt::format("in the gap after row {}", element / layout.stride);
}

Comparison compare(const BufferLayout& layout, std::span<const std::byte> image, std::span<const double> oracle,
                   const Limit& limit) {
  Comparison result;
  double worst_value = 0;
  for (std::int64_t row = 0, element = 0; row < layout.shape.rows; ++row) {
    for (std::int64_t col = 0; col < layout.shape.cols; ++col, ++element) {
      const double value = load_as_double(image.data() + layout.offset(row, col), layout.shape.type);
      const ElementErrors errors = element_errors(value, oracle[static_cast<std::size_t>(element)], limit);
      result.errors.absolute = std::max(result.errors.absolute, errors.absolute);
      result.errors.relative = std::max(result.errors.relative, errors.relative);
      if (result.worst >= 0 && errors.in_limits <= result.errors.in_limits) continue;
      result.errors.in_limits = errors.in_limits;
      result.worst = element;
      worst_value = value;
    }
  }
  if (result.errors.in_limits > 1)
    result.failure =
        mismatch(layout.shape, result.worst, worst_value, oracle[static_cast<std::size_t>(result.worst)], limit);
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
    if (!is_element(layout, offset)) return place_around(layout, offset);
    from = left + 1;
  }
}

}  // namespace hiptune
