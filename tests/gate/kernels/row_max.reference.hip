// The oracle: one row per thread.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void row_max_reference(const scalar_t* x, double* y, double* m, int64 rows, int64 groups,
                                             int64 width, int64 x_stride, int64) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 r = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += threads) {
    const scalar_t* row = x + r * x_stride;
    m[r] = static_cast<double>(row[0]);
    for (int64 g = 0; g < groups; ++g) {
      for (int64 w = 0; w < width; ++w) {
        const double value = static_cast<double>(row[g * width + w]);
        y[r * groups * width + w * groups + g] = value;
        if (value > m[r]) m[r] = value;
      }
    }
  }
}
