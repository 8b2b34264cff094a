// The oracle: the formula in double, one row per thread.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void row_rms_reference(const scalar_t* x, const scalar_t* w, double* y, int64 rows, int64 cols,
                                             int64 x_stride, int64, float epsilon) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    const scalar_t* row = x + r * x_stride;
    double sum = 0.0;
    for (int64 c = 0; c < cols; ++c) sum += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    const double scale = 1.0 / hiptune::sqrt(sum / static_cast<double>(cols) + static_cast<double>(epsilon));
    for (int64 c = 0; c < cols; ++c) {
      y[r * cols + c] = static_cast<double>(row[c]) * scale * static_cast<double>(w[c]);
    }
  }
}
