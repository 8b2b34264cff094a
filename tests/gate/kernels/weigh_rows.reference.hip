// The oracle: the formula in double, one row per thread.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;
using hiptune::to_double;

extern "C" __global__ void weigh_rows_reference(const scalar_t* x, const w_t* w, double* y, int64 rows, int64 cols,
                                                int64 x_stride, int64) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    const scalar_t* row = x + r * x_stride;
    double sum = 0;
    for (int64 c = 0; c < cols; ++c) sum += hiptune::abs(to_double(row[c]));
    for (int64 c = 0; c < cols; ++c) {
      const double weight = w == nullptr ? 1 : to_double(w[c]);
      y[r * cols + c] = to_double(row[c]) * (sum / static_cast<double>(cols)) * weight;
    }
  }
}
