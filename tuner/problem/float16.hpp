#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace hiptune {

// A floating format of 16 bits: sign, biased exponent, mantissa; the largest exponent is of infinities and NaN.
struct Float16 {
  int mantissa_bits;
  int bias;

  [[nodiscard]] constexpr int lowest_exponent() const { return 1 - bias; }  // of normal numbers, and of subnormal ones
  [[nodiscard]] constexpr std::uint32_t infinity() const { return 0x7FFFu >> mantissa_bits << mantissa_bits; }
};
inline constexpr Float16 kF16{10, 15};
inline constexpr Float16 kBf16{7, 127};

namespace float64 {
inline constexpr int kMantissaBits = 52, kBias = 1023;
inline constexpr std::uint64_t kHidden = std::uint64_t{1} << kMantissaBits;
inline constexpr std::uint64_t kInfinity = std::uint64_t{0x7FF} << kMantissaBits;
}  // namespace float64

// Rounds to nearest, ties to even, once; a NaN stays one. In integers alone, so that no rounding mode matters.
[[nodiscard]] inline std::uint16_t encode(double value, const Float16& format) {
  using namespace float64;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 63 << 15);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint32_t quiet_nan = format.infinity() | 1u << (format.mantissa_bits - 1);
  if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | quiet_nan);
  const int exponent = std::max(static_cast<int>(magnitude >> kMantissaBits), 1) - kBias;
  const std::uint64_t significand = (magnitude & (kHidden - 1)) | (magnitude < kHidden ? 0 : kHidden);
  // The bits that go: more of them below the normal numbers, and from 55 on nothing is left anyway.
  const int below = std::max(format.lowest_exponent() - exponent, 0);
  const int gone = std::min(kMantissaBits - format.mantissa_bits + below, kMantissaBits + 3);
  const std::uint64_t is_odd = significand >> gone & 1;
  const std::uint64_t rounded = (significand + (std::uint64_t{1} << (gone - 1)) - 1 + is_odd) >> gone;
  // The significand's leading bit, and where rounding carries, add to the exponent.
  const std::int64_t steps = std::max(exponent - format.lowest_exponent(), 0);
  const std::int64_t encoded = (steps << format.mantissa_bits) + static_cast<std::int64_t>(rounded);
  return static_cast<std::uint16_t>(sign | std::min<std::int64_t>(encoded, format.infinity()));
}

// Exact.
[[nodiscard]] inline double decode(std::uint16_t bits, const Float16& format) {
  using namespace float64;
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 15) << 63;
  const std::uint32_t magnitude = bits & 0x7FFFu;
  const int shift = kMantissaBits - format.mantissa_bits;
  const auto moved = static_cast<std::uint64_t>(magnitude) << shift;
  if (magnitude >= format.infinity()) return std::bit_cast<double>(sign | kInfinity | moved);
  const auto rebias = static_cast<std::uint64_t>(kBias - format.bias) << kMantissaBits;
  if (magnitude >> format.mantissa_bits != 0) return std::bit_cast<double>(sign | (moved + rebias));
  // Subnormal: with the lowest exponent and a leading bit in front, which is taken away again.
  const std::uint64_t with_leading = moved + rebias + kHidden;
  const double leading = std::bit_cast<double>(rebias + kHidden);
  const double subnormal = std::bit_cast<double>(with_leading) - leading;
  return sign == 0 ? subnormal : -subnormal;
}

}  // namespace hiptune
