#pragma once

namespace hiptune {

// The kernels that set up and judge buffers where they lie. Both take a buffer's whole allocation as cells of its
// element type: guard | row, gap | … | guard. Element [0, 0] is cell `first`. Each thread writes a finding of its own,
// so that they rely on no reduction, barrier or atomic: what is on trial must not be its own judge.
inline constexpr const char* kDeviceCheckerSource = R"hip(#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

struct Finding {
  double absolute, relative, in_limits;
  int64 worst;     // the element with the largest error in units of the limit, -1: there is none
  int64 damaged;   // the first cell around the elements that is not as it was, -1: all are
  int64 modified;  // the first element of an input that is not as it was
  int64 other;     // the first element that differs from the first run's
};

union Float32 {
  unsigned bits;
  float value;
};
union Float64 {
  unsigned long long bits;
  double value;
};

// As Dtype counts.
constexpr int kFloat32 = 0, kFloat64 = 1, kInt32 = 2, kFloat16 = 4, kBfloat16 = 5;

// Infinities and NaN by their bits: a compiler may be told that there are none.
__device__ inline bool is_finite(double value) {
  Float64 number;
  number.value = value;
  return (number.bits >> 52 & 0x7ff) != 0x7ff;
}
__device__ inline bool is_nan(double value) {
  Float64 number;
  number.value = value;
  return (number.bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}
__device__ inline double infinity() {
  Float64 number;
  number.bits = 0x7ff0000000000000ull;
  return number.value;
}

__device__ inline unsigned long long cell_of(const void* image, int64 cell, int bytes) {
  if (bytes == 2) return static_cast<const unsigned short*>(image)[cell];
  return bytes == 4 ? static_cast<const unsigned*>(image)[cell] : static_cast<const unsigned long long*>(image)[cell];
}

__device__ inline void set_cell(void* image, int64 cell, int bytes, unsigned long long bits) {
  if (bytes == 2)
    static_cast<unsigned short*>(image)[cell] = static_cast<unsigned short>(bits);
  else if (bytes == 4)
    static_cast<unsigned*>(image)[cell] = static_cast<unsigned>(bits);
  else
    static_cast<unsigned long long*>(image)[cell] = bits;
}

// A floating number of 16 bits, by its bits: the conversions of the device layer are on trial as well. `unit` is the
// smallest subnormal number, 2^-24 or 2^-133.
__device__ inline double value_of_16(unsigned long long bits, int mantissa_bits, int bias, double unit) {
  const unsigned long long magnitude = bits & 0x7fff, sign = bits >> 15 << 63;
  const unsigned long long exponent = magnitude >> mantissa_bits;
  const unsigned long long largest = 0x7fff >> mantissa_bits;
  Float64 number;
  if (exponent == 0)
    number.value = static_cast<double>(static_cast<int>(magnitude)) * unit;
  else
    number.bits = (magnitude << (52 - mantissa_bits)) +
                  (static_cast<unsigned long long>(exponent == largest ? 0x7ff - static_cast<int>(largest) : 1023 - bias)
                   << 52);
  number.bits |= sign;
  return number.value;
}

__device__ inline double value_of(unsigned long long bits, int dtype) {
  if (dtype == kFloat16) return value_of_16(bits, 10, 15, 5.9604644775390625e-8);
  if (dtype == kBfloat16) return value_of_16(bits, 7, 127, 9.18354961579912115600575419705e-41);
  if (dtype == kFloat32) {
    Float32 number;
    number.bits = static_cast<unsigned>(bits);
    return number.value;
  }
  if (dtype == kFloat64) {
    Float64 number;
    number.bits = bits;
    return number.value;
  }
  return dtype == kInt32 ? static_cast<double>(static_cast<int>(bits)) : static_cast<double>(static_cast<int64>(bits));
}

// The element that a cell is, -1: none.
__device__ inline int64 element_of(int64 cell, int64 first, int64 rows, int64 cols, int64 stride) {
  if (cell < first || rows == 0) return -1;
  const int64 row = (cell - first) / stride, col = (cell - first) % stride;
  return row < rows && col < cols ? row * cols + col : -1;
}

__device__ inline void compare(Finding& finding, int64 element, double value, double oracle, double atol, double rtol) {
  double absolute = 0, relative = 0, in_limits = 0;
  if (!is_finite(oracle) || !is_finite(value)) {
    const bool same = is_nan(oracle) ? is_nan(value) : !is_nan(value) && value == oracle;
    if (!same) absolute = relative = in_limits = infinity();
  } else if (value != oracle) {
    const double size = oracle < 0 ? -oracle : oracle, allowed = atol + rtol * size;
    absolute = value < oracle ? oracle - value : value - oracle;
    if (size != 0 && rtol * size >= atol) relative = absolute / size;
    in_limits = allowed == 0 ? infinity() : absolute / allowed;
  }
  if (finding.absolute < absolute) finding.absolute = absolute;
  if (finding.relative < relative) finding.relative = relative;
  if (finding.worst < 0 || finding.in_limits < in_limits) finding.in_limits = in_limits, finding.worst = element;
}

__device__ inline int64 thread() { return static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64 threads() { return static_cast<int64>(gridDim.x) * blockDim.x; }

// Elements become those of `source`, or where there is none `element`; everything else becomes `around`.
extern "C" __global__ void hiptune_paint(void* image, const void* source, int64 cells, int64 first, int64 rows,
                                         int64 cols, int64 stride, int bytes, unsigned long long element,
                                         unsigned long long around) {
  for (int64 cell = thread(); cell < cells; cell += threads()) {
    const bool is_element = element_of(cell, first, rows, cols, stride) >= 0;
    const unsigned long long inside = source != nullptr ? cell_of(source, cell, bytes) : element;
    set_cell(image, cell, bytes, is_element ? inside : around);
  }
}

// `source`: an input, whose elements must be these bits; `oracle`: an output, dense; `earlier`: an image whose elements
// must be the same. Each may be null.
extern "C" __global__ void hiptune_inspect(const void* image, const void* source, const double* oracle,
                                           const void* earlier, Finding* findings, int64 cells, int64 first, int64 rows,
                                           int64 cols, int64 stride, int bytes, int dtype, unsigned long long around,
                                           double atol, double rtol) {
  Finding finding = {0, 0, 0, -1, -1, -1, -1};
  for (int64 cell = thread(); cell < cells; cell += threads()) {
    const unsigned long long bits = cell_of(image, cell, bytes);
    const int64 element = element_of(cell, first, rows, cols, stride);
    if (element < 0) {
      if (bits != around && finding.damaged < 0) finding.damaged = cell;
      continue;
    }
    if (source != nullptr && bits != cell_of(source, cell, bytes) && finding.modified < 0) finding.modified = element;
    if (oracle != nullptr) compare(finding, element, value_of(bits, dtype), oracle[element], atol, rtol);
    if (earlier != nullptr && bits != cell_of(earlier, cell, bytes) && finding.other < 0) finding.other = element;
  }
  findings[thread()] = finding;
}
)hip";

}  // namespace hiptune
