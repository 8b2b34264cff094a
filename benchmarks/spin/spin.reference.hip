#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void spin_reference(const scalar_t* x, double* y, int64 elements) {
  const int64 threads = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += threads) y[i] = x[i];
}
