#pragma once

#include <vector>

#include "dispatch/world.hpp"

// A kernel of two launches with a workspace between them: sums of rows, then y[r,c] = x[r,c] + sum of row r. Small
// integers, so that the results are exact.
namespace hiptune::test {

inline constexpr const char* kTwoStepSource = R"(#include "hiptune_config.h"
#include "hiptune_device.h"
using hiptune::int64;

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    sum_rows(const scalar_t* x, scalar_t*, int64 rows, int64 cols, scalar_t* sums) {
  for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; r < rows;
       r += static_cast<int64>(gridDim.x) * BLOCK_SIZE) {
    scalar_t sum = 0;
    for (int64 c = 0; c < cols; ++c) sum += x[r * cols + c];
    sums[r] = sum;
  }
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    add_sums(const scalar_t* x, scalar_t* y, int64 rows, int64 cols, scalar_t* sums) {
  for (int64 i = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; i < rows * cols;
       i += static_cast<int64>(gridDim.x) * BLOCK_SIZE)
    y[i] = x[i] + sums[i / cols];
}
)";

inline constexpr const char* kTwoStepReference = R"(#include "hiptune_config.h"
#include "hiptune_device.h"
using hiptune::int64;

extern "C" __global__ void two_step_reference(const scalar_t* x, double* y, int64 rows, int64 cols) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    double sum = 0;
    for (int64 c = 0; c < cols; ++c) sum += x[r * cols + c];
    for (int64 c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] + sum;
  }
}
)";

// `lds`: the dynamic LDS of the first launch, which it does not use.
inline std::string two_step_space(const std::string& lds = "0") {
  return R"json({
  "schema_version": 1, "kernel": "two_step", "description": "y[r,c] = x[r,c] + sum of row r",
  "dimensions": {"rows": {"minimum": 1, "maximum": 1048576, "batch": true}, "cols": {"minimum": 1, "maximum": 4096}},
  "dtypes": ["f32"],
  "arguments": [
    {"buffer": "x", "role": "in", "extent": ["rows", "cols"], "domain": {"smallest": 1e-3, "largest": 1e3}},
    {"buffer": "y", "role": "out", "extent": ["rows", "cols"]},
    {"dimension": "rows"}, {"dimension": "cols"}
  ],
  "workspaces": [{"buffer": "sums", "extent": "rows"}],
  "tunables": {"BLOCK_SIZE": {"values": [32, 64]}},
  "plan": [
    {"entry": "sum_rows", "grid": "ceil_div(rows, BLOCK_SIZE)", "block": "BLOCK_SIZE", "dynamic_lds": ")json" +
         lds + R"json("},
    {"entry": "add_sums", "grid": "ceil_div(rows * cols, BLOCK_SIZE)", "block": "BLOCK_SIZE"}
  ],
  "work": {"bytes": "2 * rows * cols * ELEMENT_BYTES", "flops": "2 * rows * cols"},
  "tolerance": {"atol": "1e-3", "rtol": "1e-4", "reason": "made up"},
  "baselines": {},
  "fallback": {
  "BLOCK_SIZE" : 32
}
})json";
}

inline void write_two_step(World& world, const std::string& lds = "0") {
  world.write_kernel_file("two_step.hip", kTwoStepSource);
  world.write_kernel_file("two_step.reference.hip", kTwoStepReference);
  world.write_kernel_file("two_step.json", two_step_space(lds));
}

using TwoStep = BoundKernel<const float*, float*, std::int64_t, std::int64_t>;

inline TwoStep bind_two_step(const Dispatcher& dispatcher) {
  return dispatcher.bind<const float*, float*, std::int64_t, std::int64_t>("two_step", "f32");
}

struct TwoStepCall {
  std::int64_t rows, cols;
  std::vector<float> x, y;

  // Calls of different seeds have different results.
  TwoStepCall(std::int64_t row_count, std::int64_t col_count, int seed = 0) : rows(row_count), cols(col_count) {
    for (std::int64_t i = 0; i < rows * cols; ++i) x.push_back(static_cast<float>((i + seed) % 7));
    y.assign(x.size(), -1);
  }
  Status run(const TwoStep& kernel) { return kernel(nullptr, x.data(), y.data(), rows, cols); }
  [[nodiscard]] bool is_right() const {
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r * cols);
      float sum = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) sum += x[row + c];
      for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c)
        if (y[row + c] != x[row + c] + sum) return false;
    }
    return true;
  }
};

}  // namespace hiptune::test
