// state[r,c] *= shift + sum_c x[r,c]^2; one thread per row, the factors pass through a workspace.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    row_factors(scalar_t* state, const scalar_t* x, int64 rows, int64 cols, int64 state_stride, int64 x_stride,
                float shift, float* factors) {
  const int64 threads = static_cast<int64>(gridDim.x) * BLOCK_SIZE;
  for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; r < rows; r += threads) {
    float sum = 0.0f;
    for (int64 c = 0; c < cols; ++c) sum += x[r * x_stride + c] * x[r * x_stride + c];
    factors[r] = shift + sum;
  }
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    apply_factors(scalar_t* state, const scalar_t* x, int64 rows, int64 cols, int64 state_stride, int64 x_stride,
                  float shift, float* factors) {
  const int64 threads = static_cast<int64>(gridDim.x) * BLOCK_SIZE;
  for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; r < rows; r += threads) {
    for (int64 c = 0; c < cols; ++c) state[r * state_stride + c] *= factors[r];
  }
}
