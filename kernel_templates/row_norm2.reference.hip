// The oracle: the formula in double, one row per thread.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void row_norm2_reference(const scalar_t* x, double* norm, int64 rows, int64 cols,
                                               int64 x_stride) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    const scalar_t* row = x + r * x_stride;
    double sum = 0.0;
    for (int64 c = 0; c < cols; ++c) sum += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    norm[r] = hiptune::sqrt(sum);
  }
}
