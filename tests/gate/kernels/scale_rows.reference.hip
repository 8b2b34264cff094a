// The oracle: the formula in double, one row per thread.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void scale_rows_reference(const scalar_t* before, double* after, const scalar_t* x, int64 rows,
                                                int64 cols, int64 state_stride, int64 x_stride, float shift) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    double factor = static_cast<double>(shift);
    for (int64 c = 0; c < cols; ++c) {
      factor += static_cast<double>(x[r * x_stride + c]) * static_cast<double>(x[r * x_stride + c]);
    }
    for (int64 c = 0; c < cols; ++c) after[r * cols + c] = static_cast<double>(before[r * state_stride + c]) * factor;
  }
}
