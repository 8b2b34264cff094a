// norm[r] = sqrt(sum_c x[r,c]^2); stride in elements.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

__device__ inline float sum_of_squares(const scalar_t* x, int64 cols, int first, int threads) {
  float sum = 0.0f;
  for (int64 c = first; c < cols; c += threads) sum += x[c] * x[c];
  return sum;
}

// The sum over the block, in thread 0 only.
__device__ inline float lds_tree_sum(float* lds, float sum, int thread) {
  lds[thread] = sum;
  for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
    hiptune::barrier();
    if (thread < stride) lds[thread] += lds[thread + stride];
  }
  return thread == 0 ? lds[0] : 0.0f;
}

// As above: each wave sums its own lanes, and thread 0 the waves.
__device__ inline float shuffle_sum(float* lds, float sum, int thread) {
  sum = hiptune::wave_sum(sum);
  if (thread % WAVE_SIZE == 0) lds[thread / WAVE_SIZE] = sum;
  hiptune::barrier();
  if (thread != 0) return 0.0f;
  for (int wave = 1; wave * WAVE_SIZE < BLOCK_SIZE; ++wave) sum += lds[wave];
  return sum;
}

__device__ inline float block_sum_of(float* lds, float sum, int thread) {
  if constexpr (REDUCTION == Reduction::lds_tree) return lds_tree_sum(lds, sum, thread);
  return shuffle_sum(lds, sum, thread);
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    row_norm2(const scalar_t* x, scalar_t* norm, int64 rows, int64 cols, int64 x_stride) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (REDUCTION == Reduction::serial) {
    const int64 threads = static_cast<int64>(gridDim.x) * BLOCK_SIZE;
    for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + thread; r < rows; r += threads) {
      norm[r] = hiptune::sqrt(sum_of_squares(x + r * x_stride, cols, 0, 1));
    }
  } else {
    float* lds = hiptune::dynamic_lds<float>();
    for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
      const float partial = sum_of_squares(x + r * x_stride, cols, thread, BLOCK_SIZE);
      const float sum = block_sum_of(lds, partial, thread);
      if (thread == 0) norm[r] = hiptune::sqrt(sum);
      // Thread 0 has read its last sums before the next row's overwrite them.
      hiptune::barrier();
    }
  }
}
