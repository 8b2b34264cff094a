// y[i] = x[i]. A tile is what a block copies at a time: every thread loads its vectors before it stores the first.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

constexpr int kWidth = VECTOR_BYTES / ELEMENT_BYTES;    // elements of a vector
constexpr int kTile = BLOCK_SIZE * VECTORS_PER_THREAD;  // vectors of a tile
constexpr auto kLoad = HINT == Hint::both ? hiptune::Cache::once : hiptune::Cache::normal;
constexpr auto kStore = HINT == Hint::both ? hiptune::Cache::streaming : hiptune::Cache::normal;

__device__ inline void copy_tile(const scalar_t* x, scalar_t* y, int64 vectors, int64 first) {
  hiptune::vector<scalar_t, kWidth> kept[VECTORS_PER_THREAD];
  for (int k = 0; k < VECTORS_PER_THREAD; ++k) {
    const int64 v = first + k * BLOCK_SIZE;
    if (v < vectors) kept[k] = hiptune::load_vector<kWidth, kLoad>(x + v * kWidth);
  }
  for (int k = 0; k < VECTORS_PER_THREAD; ++k) {
    const int64 v = first + k * BLOCK_SIZE;
    if (v < vectors) hiptune::store_vector<kStore>(y + v * kWidth, kept[k]);
  }
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE) copy(const scalar_t* x, scalar_t* y, int64 elements) {
  const int64 vectors = elements / kWidth;
  const int64 step = static_cast<int64>(gridDim.x) * kTile;
  for (int64 tile = static_cast<int64>(blockIdx.x) * kTile; tile < vectors; tile += step) {
    copy_tile(x, y, vectors, tile + threadIdx.x);
  }
  // The elements after the last whole vector are fewer than a block's threads.
  const int64 last = vectors * kWidth + threadIdx.x;
  if (blockIdx.x == 0 && last < elements) y[last] = x[last];
}
