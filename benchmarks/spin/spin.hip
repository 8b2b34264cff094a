// Waits for so many clock cycles, then copies: what is known of its time is the difference between two configurations.
// For GPUs alone, which have clock64.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(32) spin(const scalar_t* x, scalar_t* y, int64 elements) {
  const long long start = clock64();
  while (clock64() - start < CYCLES) {
  }
  for (int64 i = threadIdx.x; i < elements; i += 32) y[i] = x[i];
}
