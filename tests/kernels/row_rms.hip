// y[r,c] = x[r,c] * rsqrt(mean_c(x[r,:]^2) + epsilon) * w[c]; strides in elements.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

// A row is shared by `threads` threads; thread `first` has every threads-th element of it.
__device__ inline float sum_of_squares(const scalar_t* x, int64 cols, int first, int threads) {
  float sum = 0.0f;
  for (int64 c = first; c < cols; c += threads) sum += x[c] * x[c];
  return sum;
}

__device__ inline float scale_of(float sum, int64 cols, float epsilon) {
  return hiptune::rsqrt(sum / static_cast<float>(cols) + epsilon);
}

__device__ inline void write_row(const scalar_t* x, const scalar_t* w, scalar_t* y, int64 cols, float scale, int first,
                                 int threads) {
  for (int64 c = first; c < cols; c += threads) y[c] = x[c] * scale * w[c];
}

// The sum over the block, in every thread. The strides halve, and the last sum stands in lds[0].
__device__ inline float lds_tree_sum(float* lds, float sum, int thread) {
  lds[thread] = sum;
  for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
    hiptune::barrier();
    if (thread < stride) lds[thread] += lds[thread + stride];
  }
  hiptune::barrier();
  return lds[0];
}

// As above, but the first wave does the last steps among its own lanes.
__device__ inline float shuffle_tail_sum(float* lds, float sum, int thread) {
  constexpr int width = WAVE_SIZE < BLOCK_SIZE ? WAVE_SIZE : BLOCK_SIZE;
  lds[thread] = sum;
  for (int stride = BLOCK_SIZE / 2; stride >= width; stride /= 2) {
    hiptune::barrier();
    if (thread < stride) lds[thread] += lds[thread + stride];
  }
  if (thread < width) {
    sum = hiptune::wave_sum(lds[thread]);
    if (thread == 0) lds[0] = sum;
  }
  hiptune::barrier();
  return lds[0];
}

__device__ inline float block_sum_of(float* lds, float sum, int thread) {
  if constexpr (REDUCTION == Reduction::lds_tree) return lds_tree_sum(lds, sum, thread);
  return shuffle_tail_sum(lds, sum, thread);
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE)
    row_rms(const scalar_t* x, const scalar_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride, int64 y_stride,
            float epsilon) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (REDUCTION == Reduction::serial) {
    const int64 threads = static_cast<int64>(gridDim.x) * BLOCK_SIZE;
    for (int64 r = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + thread; r < rows; r += threads) {
      const float sum = sum_of_squares(x + r * x_stride, cols, 0, 1);
      write_row(x + r * x_stride, w, y + r * y_stride, cols, scale_of(sum, cols, epsilon), 0, 1);
    }
  } else {
    float* lds = hiptune::dynamic_lds<float>();
    for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
      const float partial = sum_of_squares(x + r * x_stride, cols, thread, BLOCK_SIZE);
      const float sum = block_sum_of(lds, partial, thread);
      write_row(x + r * x_stride, w, y + r * y_stride, cols, scale_of(sum, cols, epsilon), thread, BLOCK_SIZE);
      // Every thread has read lds[0] before the next row's sums overwrite it.
      hiptune::barrier();
    }
  }
}
