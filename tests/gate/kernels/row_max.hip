// m[r] = the maximum of x[r, :], and y[r, w * groups + g] = x[r, g * width + w]; one thread per row.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    row_max(const scalar_t* x, scalar_t* y, scalar_t* m, int64 rows, int64 groups, int64 width, int64 x_stride,
            int64 y_stride) {
  const int64 threads = static_cast<int64>(gridDim.x) * BLOCK_SIZE;
  for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; r < rows; r += threads) {
    const scalar_t* row = x + r * x_stride;
    scalar_t largest = row[0];
    for (int64 c = 1; c < groups * width; ++c) largest = row[c] > largest ? row[c] : largest;
    m[r] = largest;
    for (int64 g = 0; g < groups; ++g)
      for (int64 w = 0; w < width; ++w) y[r * y_stride + w * groups + g] = row[g * width + w];
  }
}
