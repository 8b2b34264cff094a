// y[r,c] = x[r,c] * mean_c |x[r,:]| * w[c], one block per row; y may be x, and w another type than x, or absent.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;
using hiptune::to_float;

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    weigh_rows(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride, int64 y_stride,
               means_t* means) {
  for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
    const scalar_t* row = x + r * x_stride;
    float sum = 0.0f;
    for (int64 c = 0; c < cols; ++c) sum += hiptune::abs(to_float(row[c]));
    means_t& mean = means[r * BLOCK_SIZE + threadIdx.x];
    mean = hiptune::from_float<means_t>(sum / static_cast<float>(cols));
    hiptune::barrier();  // every thread has read the whole row, and may write it where y is x
    for (int64 c = threadIdx.x; c < cols; c += BLOCK_SIZE) {
      float value = to_float(row[c]) * to_float(mean);
      if constexpr (WEIGHT != Weight::none) value *= to_float(w[c]);
      y[r * y_stride + c] = hiptune::from_float<scalar_t>(value);
    }
  }
}
