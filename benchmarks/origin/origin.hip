// The kernels that hiptune began with, written as by hand: int indices, scalar loads, x read twice, the row's sum in
// one thread or in a tree in dynamic LDS. y[r, c] = x[r, c] * rsqrt(mean_c(x[r, :]^2) + epsilon) * w[c], rows dense.

extern "C" __global__ void origin_serial(const float* x, const float* w, float* y, int rows, int cols, float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) {
    const float value = x[row * cols + col];
    sum += value * value;
  }
  const float scale = rsqrtf(sum / cols + epsilon);
  for (int col = 0; col < cols; ++col) y[row * cols + col] = x[row * cols + col] * scale * w[col];
}

extern "C" __global__ void origin_block(const float* x, const float* w, float* y, int, int cols, float epsilon) {
  extern __shared__ float lds[];
  const int row = blockIdx.x;
  const int thread = threadIdx.x;
  float sum = 0.0f;
  for (int col = thread; col < cols; col += blockDim.x) {
    const float value = x[row * cols + col];
    sum += value * value;
  }
  lds[thread] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (thread < stride) lds[thread] += lds[thread + stride];
    __syncthreads();
  }
  const float scale = rsqrtf(lds[0] / cols + epsilon);
  for (int col = thread; col < cols; col += blockDim.x) y[row * cols + col] = x[row * cols + col] * scale * w[col];
}
