// y[r,c] = x[r,c] * rsqrt(mean_c(x[r,:]^2) + epsilon) * w[c]; strides in elements; y may be x.
//
// One design with many settings (SCHEME fused): a row is worked on by SPLIT blocks, in each of them by ROW_THREADS
// threads, and a block works on ROWS_PER_BLOCK rows side by side. A thread takes every ROW_THREADS-th vector of its
// part of the row. Of these it keeps the first REGISTER_VECTORS in registers and the next LDS_VECTORS in LDS; what is
// left (REREAD yes) is read again from memory after the reduction, backwards, so that the newest cache lines are met
// first. With AHEAD the next row is on its way to LDS while this one is worked on, and takes the place of what is
// written vector by vector. The other schemes are baselines to compare with, and the split over two launches.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;
using hiptune::load_vector;
using hiptune::store_vector;

constexpr int kWidth = VECTOR_ELEMENTS;
constexpr int kBlock = ROW_THREADS * ROWS_PER_BLOCK;
constexpr int kRowWaves = ROW_THREADS > WAVE_SIZE ? ROW_THREADS / WAVE_SIZE : 1;
constexpr int kKept = REGISTER_VECTORS + LDS_VECTORS;
constexpr bool kHasWeight = WEIGHT != Weight::none;
constexpr bool kIsCluster = SCHEME == Scheme::fused && SPLIT > 1;  // the blocks of a row are a cluster
static_assert(AHEAD == Ahead::no || WEIGHT_LOAD != WeightLoad::early, "a row that is ahead has no time of its own");

// Of what is kept; of what is read again, at first and for the last time; of what is written.
constexpr bool kHasLoadHints = HINT == Hint::load || HINT == Hint::both;
constexpr auto kLoad = kHasLoadHints ? hiptune::Cache::once : hiptune::Cache::normal;
constexpr auto kFirstLoad = kHasLoadHints ? hiptune::Cache::kept : hiptune::Cache::normal;
constexpr auto kLastLoad = kHasLoadHints ? hiptune::Cache::streaming : hiptune::Cache::normal;
constexpr auto kStore = HINT == Hint::store || HINT == Hint::both ? hiptune::Cache::streaming : hiptune::Cache::normal;

using Elements = hiptune::vector<scalar_t, kWidth>;
using Floats = hiptune::vector<float, kWidth>;
using Weights = hiptune::vector<w_t, kWidth>;

__device__ inline float square_of(scalar_t x) { return hiptune::to_float(x) * hiptune::to_float(x); }

// Of a thread of a row; no thread is negative, and unsigned numbers divide without asking.
__device__ inline int wave_of(int thread) { return static_cast<int>(static_cast<unsigned>(thread) / WAVE_SIZE); }

// By halves, so that the additions do not wait for each other.
template <int N>
__device__ inline float sum_of_squares(const float* x) {
  if constexpr (N == 1)
    return x[0] * x[0];
  else
    return sum_of_squares<N / 2>(x) + sum_of_squares<N - N / 2>(x + N / 2);
}

// Worked out after the loads of a row have begun, and while they are under way: a division before them would hold
// them up.
__device__ inline float inverse_of(int64 cols) {
  hiptune::hide(cols);
  float inverse = 1.0f / static_cast<float>(cols);
  hiptune::hide(inverse);
  return inverse;
}

__device__ inline float scale_of(float sum, float inverse_cols, float epsilon) {
  return hiptune::rsqrt(sum * inverse_cols + epsilon);
}

__device__ inline const w_t* weights_from(const w_t* w, int64 first) { return kHasWeight ? w + first : w; }

// A thread's share of a part of a row: every kStep-th vector, and an element of what follows the last whole vector. A
// share of nothing is legal: all threads of a block must meet at its barriers. y may be x, and so a thread reads an
// element for the last time before it, and nobody else, writes it.
struct Share {
  // What a cluster keeps of a row lies wave by wave, else the waves take turns.
  static constexpr bool kIsByWave = kIsCluster && REREAD == Reread::no;
  static constexpr int kStep = kIsByWave ? WAVE_SIZE : ROW_THREADS;

  const scalar_t* x;  // the thread's first vector
  const w_t* w;
  scalar_t* y;
  int vectors;  // from the thread's first vector to the part's end, not all of them the thread's
  int tail;     // elements behind the last whole vector
  int thread;

  __device__ static int first_vector(int thread) {
    return kIsByWave ? wave_of(thread) * ((kKept - 1) * WAVE_SIZE) + thread : thread;
  }
  __device__ bool has(int k) const { return k * kStep < vectors; }
  __device__ static int64 offset(int k) { return static_cast<int64>(k) * (kStep * kWidth); }
  // Without its first k vectors, and without the tail.
  __device__ Share from(int k) const {
    Share rest{x + offset(k), weights_from(w, offset(k)), y + offset(k), vectors - k * kStep, 0, thread};
    hide_addresses(rest);
    return rest;
  }
  __device__ bool has_tail() const { return thread < tail; }
  __device__ int64 tail_offset() const { return static_cast<int64>(vectors) * kWidth + thread; }

  // Else compilers compute them again for each access.
  __device__ static void hide_addresses(Share& share) {
    hiptune::hide(share.x);
    if constexpr (kHasWeight) hiptune::hide(share.w);
    hiptune::hide(share.y);
  }
};

__device__ inline Share share_of_part(const scalar_t* x, const w_t* w, scalar_t* y, int vectors, int tail, int thread) {
  const int first = Share::first_vector(thread);
  const int64 offset = static_cast<int64>(first) * kWidth;
  Share share{x + offset, weights_from(w, offset), y + offset, vectors - first, tail, thread};
  Share::hide_addresses(share);
  return share;
}

__device__ inline Share share_of_row(const scalar_t* x, const w_t* w, scalar_t* y, int64 cols, int part, int thread) {
  const int vectors = static_cast<int>(cols / kWidth), tail = static_cast<int>(cols % kWidth);
  if constexpr (SPLIT == 1) return share_of_part(x, w, y, vectors, tail, thread);
  const int each = (vectors + SPLIT - 1) / SPLIT;
  const int first = hiptune::min(part * each, vectors), last = hiptune::min(first + each, vectors);
  const int64 offset = static_cast<int64>(first) * kWidth;
  return share_of_part(x + offset, weights_from(w, offset), y + offset, last - first, part == SPLIT - 1 ? tail : 0,
                       thread);
}

// Of vectors that the part does not have they are zero: what a thread has not set it would keep from row to row. And
// constants a compiler would load once for all rows, however late.
__device__ inline Weights weights_of(const Share& share, int k) {
  Weights w{};
  if constexpr (kHasWeight)
    if (share.has(k)) w = load_vector<kWidth>(share.w + Share::offset(k));
  return w;
}

__device__ inline float scaled(float x, float scale, w_t w) {
  if constexpr (kHasWeight) return x * scale * hiptune::to_float(w);
  return x * scale;
}

__device__ inline void write_element(scalar_t& to, scalar_t x, float scale, const w_t* w, int64 c) {
  to = hiptune::from_float<scalar_t>(scaled(hiptune::to_float(x), scale, kHasWeight ? w[c] : w_t{}));
}

// Vectors that the part does not have are zero, so that sums need not ask.
template <hiptune::Cache cache>
__device__ inline Elements element_vector(const Share& share, int k) {
  Elements x{};
  if (share.has(k)) x = load_vector<kWidth, cache>(share.x + Share::offset(k));
  return x;
}

__device__ inline float squares_of(const Elements& x) { return sum_of_squares<kWidth>(hiptune::to_floats(x).data); }

// What a thread keeps of a row. Its places in LDS no other thread touches.
struct Kept {
  Elements registers[hiptune::max(REGISTER_VECTORS, 1)];
  Weights weights[hiptune::max(REGISTER_VECTORS, 1)];
  scalar_t tail;
  scalar_t* lds;
  w_t* weights_lds;

  // Of vector k, counted from the first that LDS keeps.
  __device__ scalar_t* place(int k) const { return lds + k * (kBlock * kWidth); }
  __device__ w_t* weight_place(int k) const { return weights_lds + k * (kBlock * kWidth); }

  // Begins all loads of a row; nothing waits for them yet.
  __device__ void load(const Share& share) {
    HIPTUNE_UNROLL
    for (int k = 0; k < LDS_VECTORS; ++k)
      if (share.has(REGISTER_VECTORS + k))
        hiptune::copy_to_lds<kWidth, kLoad>(place(k), share.x + Share::offset(REGISTER_VECTORS + k));
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k) registers[k] = element_vector<kLoad>(share, k);
    load_tail(share);
  }

  // Vector k of a row to come sets out for LDS, as a group of its own even where there is none: groups are counted.
  __device__ void send(const Share& share, int k) const {
    if (share.has(k)) hiptune::copy_to_lds<kWidth, kLoad>(place(k), share.x + Share::offset(k));
    hiptune::end_group_of_copies();
  }
  // Vector k of `next`, of all that are under way the first that was sent, is taken from its place in LDS, for which
  // that of the row after it sets out. Returns the sum of its squares.
  __device__ float take(const Share& next, const Share& later, int k) {
    hiptune::wait_for_copies<REGISTER_VECTORS - 1>();
    registers[k] = {};
    if (next.has(k)) registers[k] = load_vector<kWidth>(place(k));
    const float sum = squares_of(registers[k]);
    send(later, k);
    return sum;
  }

  __device__ void load_weights(const Share& share) {
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k) weights[k] = weights_of(share, k);
  }
  __device__ void load_weights_to_lds(const Share& share) const {
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k)
      if (share.has(k)) store_vector(weight_place(k), weights_of(share, k));
  }
  // Of a vector in registers.
  __device__ Weights weight(const Share& share, int k) const {
    if constexpr (WEIGHT_LOAD == WeightLoad::late)
      return weights_of(share, k);
    else if constexpr (WEIGHT_LOAD == WeightLoad::held_lds)
      return load_vector<kWidth>(weight_place(k));
    else
      return weights[k];
  }

  __device__ void load_tail(const Share& share) {
    tail = scalar_t{};
    if (share.has_tail()) tail = share.x[share.tail_offset()];
  }
};

// N vectors, all of them loaded before the first is used.
template <int N>
struct Batch {
  Elements x[N];
  template <hiptune::Cache cache>
  __device__ void load(const Share& share) {
    HIPTUNE_UNROLL
    for (int i = 0; i < N; ++i) x[i] = element_vector<cache>(share, i);
  }
};

// Of the whole share; waits for its loads.
__device__ inline float sum_of_share(const Share& share, const Kept& kept) {
  float sum = square_of(kept.tail);
  HIPTUNE_UNROLL
  for (int k = 0; k < REGISTER_VECTORS; ++k) sum += squares_of(kept.registers[k]);
  if constexpr (LDS_VECTORS > 0) hiptune::wait_for_copies();
  HIPTUNE_UNROLL
  for (int k = 0; k < LDS_VECTORS; ++k)
    if (share.has(REGISTER_VECTORS + k)) sum += squares_of(load_vector<kWidth>(kept.place(k)));
  if constexpr (REREAD == Reread::yes) {
    for (int first = kKept; share.has(first); first += UNROLL) {
      Batch<UNROLL> batch;
      batch.template load<kFirstLoad>(share.from(first));
      HIPTUNE_UNROLL
      for (int i = 0; i < UNROLL; ++i) sum += squares_of(batch.x[i]);
    }
  }
  return sum;
}

__device__ inline void write_vector(const Share& share, int k, const Elements& x, const Weights& w, float scale) {
  Floats y = hiptune::to_floats(x);
  HIPTUNE_UNROLL
  for (int i = 0; i < kWidth; ++i) y[i] = scaled(y[i], scale, w[i]);
  store_vector<kStore>(share.y + Share::offset(k), hiptune::from_floats<scalar_t>(y));
}

// Vectors that are written together: their weights are loaded before the first of them is written. Few, where
// registers are full already.
constexpr int kWriteBatch = REGISTER_VECTORS >= 8 ? 2 : 4;
// What was loaded last goes first where LDS keeps a part: on Hopper this is worth 1 % of long rows.
constexpr bool kIsWrittenBackwards = LDS_VECTORS > 0;

// `get(k)` is vector k of the N that the share is made of.
template <int N, class Get>
__device__ inline void write_vectors(const Share& share, const Get& get, float scale) {
  constexpr int kBatches = (N + kWriteBatch - 1) / kWriteBatch;
  HIPTUNE_UNROLL
  for (int batch = 0; batch < kBatches; ++batch) {
    const int first = (kIsWrittenBackwards ? kBatches - 1 - batch : batch) * kWriteBatch;
    Weights w[kWriteBatch];
    HIPTUNE_UNROLL
    for (int i = 0; i < kWriteBatch && first + i < N; ++i) w[i] = weights_of(share, first + i);
    HIPTUNE_UNROLL
    for (int i = 0; i < kWriteBatch && first + i < N; ++i)
      if (share.has(first + i)) write_vector(share, first + i, get(first + i), w[i], scale);
  }
}

// Backwards: what was read last is the likeliest to be in a cache still.
__device__ inline void write_again(const Share& share, float scale) {
  constexpr int kBatch = UNROLL < kWriteBatch ? UNROLL : kWriteBatch;
  const int steps = (share.vectors + ROW_THREADS - 1) / ROW_THREADS;
  const int batches = (steps - kKept + kBatch - 1) / kBatch;
  for (int first = kKept + (batches - 1) * kBatch; first >= kKept; first -= kBatch) {
    const Share part = share.from(first);
    Batch<kBatch> batch;
    batch.template load<kLastLoad>(part);
    write_vectors<kBatch>(
        part, [&](int k) { return batch.x[k]; }, scale);
  }
}

__device__ inline void write_tail(const Share& share, const Kept& kept, float scale) {
  if (!share.has_tail()) return;
  const int64 c = share.tail_offset();
  write_element(share.y[c], kept.tail, scale, share.w, c);
}

__device__ inline void write_share(const Share& share, Kept& kept, float scale) {
  if constexpr (REREAD == Reread::yes) write_again(share, scale);
  if constexpr (LDS_VECTORS > 0)
    write_vectors<LDS_VECTORS>(
        share.from(REGISTER_VECTORS), [&](int k) { return load_vector<kWidth>(kept.place(k)); }, scale);
  // Else the compiler would keep the numbers that it made of them for the sum.
  if constexpr (KEEP == Keep::stored) {
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k) hiptune::hide(kept.registers[k], scale);
  }
  if constexpr (WEIGHT_LOAD == WeightLoad::late) {
    write_vectors<REGISTER_VECTORS>(
        share, [&](int k) { return kept.registers[k]; }, scale);
  } else {
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k)
      if (share.has(k)) write_vector(share, k, kept.registers[k], kept.weight(share, k), scale);
  }
  write_tail(share, kept, scale);
}

// Writes the row `done`, if any, and keeps `next` in its place, while `later` sets out. Returns the sum of next's
// share.
__device__ inline float go_on(const Share& done, const Share& next, const Share& later, Kept& kept, float scale) {
  write_tail(done, kept, scale);
  kept.load_tail(next);
  float sum = 0.0f;
  HIPTUNE_UNROLL
  for (int k = 0; k < REGISTER_VECTORS; ++k) {
    if (done.has(k)) write_vector(done, k, kept.registers[k], kept.weight(done, k), scale);
    sum += kept.take(next, later, k);
  }
  return sum + square_of(kept.tail);
}

// ---- Reductions: the sum over the ROW_THREADS threads of a row, the same bits in each of them. `lds` holds
// kReductionFloats. A row's sums may not be written while the last row's are still read: blocks that are meant to loop
// have two halves of them, used in turn, and others wait at a barrier.

constexpr int kReductionFloats = REDUCTION == Reduction::wave_only     ? 0
                                 : REDUCTION == Reduction::one_barrier ? kRowWaves * ROWS_PER_BLOCK * SPLIT
                                                                       : kBlock;

// The strides halve, and the last sum stands in lds[0].
__device__ inline float lds_tree_sum(float* lds, float sum, int thread) {
  lds[thread] = sum;
  for (int stride = ROW_THREADS / 2; stride > 0; stride /= 2) {
    hiptune::barrier();
    if (thread < stride) lds[thread] += lds[thread + stride];
  }
  hiptune::barrier();
  return lds[0];
}

// As above, but the last steps are taken within a wave.
__device__ inline float shuffle_tail_sum(float* lds, float sum, int thread) {
  constexpr int width = ROW_THREADS < WAVE_SIZE ? ROW_THREADS : WAVE_SIZE;
  lds[thread] = sum;
  for (int stride = ROW_THREADS / 2; stride >= width; stride /= 2) {
    hiptune::barrier();
    if (thread < stride) lds[thread] += lds[thread + stride];
  }
  hiptune::barrier();
  // Every wave takes these steps, so that each has the sum without another barrier.
  return hiptune::group_sum<width>(lds[thread % width]);
}

// Every wave sums itself, and then what all waves of the row have said.
__device__ inline float one_barrier_sum(float* lds, float sum, int thread) {
  sum = hiptune::group_sum<WAVE_SIZE>(sum);
  if (hiptune::lane() == 0) lds[wave_of(thread)] = sum;
  hiptune::barrier();
  return hiptune::group_sum<kRowWaves>(lds[hiptune::lane() & (kRowWaves - 1)]);
}

__device__ inline float sum_over_threads(float* lds, float sum, int thread, int row) {
  if constexpr (REDUCTION == Reduction::wave_only)
    return hiptune::group_sum<ROW_THREADS>(sum);
  else if constexpr (REDUCTION == Reduction::one_barrier)
    return one_barrier_sum(lds + row * kRowWaves, sum, thread);
  else if constexpr (REDUCTION == Reduction::shuffle_tail)
    return shuffle_tail_sum(lds + row * ROW_THREADS, sum, thread);
  else
    return lds_tree_sum(lds + row * ROW_THREADS, sum, thread);
}

// As one_barrier_sum, over all blocks of a cluster: each wave tells each of them its sum.
__device__ inline float cluster_sum(float* lds, float sum, int thread) {
  sum = hiptune::group_sum<WAVE_SIZE>(sum);
  const int place = hiptune::cluster_rank() * kRowWaves + wave_of(thread);
  if (hiptune::lane() < SPLIT) hiptune::cluster_write(lds + place, hiptune::lane(), sum);
  hiptune::cluster_barrier();
  sum = 0.0f;
  for (int i = hiptune::lane(); i < SPLIT * kRowWaves; i += WAVE_SIZE) sum += lds[i];
  return hiptune::group_sum<WAVE_SIZE>(sum);
}

// ---- The kernels

// What is kept in LDS begins behind the sums, and the weights behind that, in bytes.
constexpr int kKeptOffset = (2 * kReductionFloats * 4 + 15) / 16 * 16;
constexpr int kPlaces = LDS_VECTORS + (AHEAD == Ahead::yes ? REGISTER_VECTORS : 0);
constexpr int kWeightsOffset = kKeptOffset + kPlaces * kBlock * kWidth * static_cast<int>(sizeof(scalar_t));

struct Rows {
  const scalar_t* x;
  const w_t* w;
  scalar_t* y;
  int64 rows, cols, x_stride, y_stride;
  int part, row, thread;

  // Of the block's row, when its first one is `first`.
  __device__ Share share(int64 first) const {
    const bool is_row = (ROWS_PER_BLOCK == 1 && AHEAD == Ahead::no) || first + row < rows;
    const int64 r = is_row ? first + row : 0;
    Share share = share_of_row(x + r * x_stride, w, y + r * y_stride, cols, part, thread);
    if (!is_row) share.vectors = share.tail = 0;
    return share;
  }
};

__device__ inline float sum_of_row(float* sums, float sum, const Rows& all) {
  if constexpr (kIsCluster)
    return cluster_sum(sums, sum, all.thread);
  else
    return sum_over_threads(sums, sum, all.thread, all.row);
}

__device__ inline void fused(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride,
                             int64 y_stride, float epsilon) {
  unsigned char* lds = hiptune::dynamic_lds<unsigned char>();
  float* sums = reinterpret_cast<float*>(lds);
  const int row = ROWS_PER_BLOCK == 1 ? 0 : static_cast<int>(threadIdx.x / ROW_THREADS);
  const int thread = static_cast<int>(threadIdx.x) - row * ROW_THREADS;
  const int part = static_cast<int>(blockIdx.x % SPLIT);
  const Rows all{x, w, y, rows, cols, x_stride, y_stride, part, row, thread};
  const int64 step = static_cast<int64>(gridDim.x / SPLIT) * ROWS_PER_BLOCK;
  int64 first = static_cast<int64>(blockIdx.x / SPLIT) * ROWS_PER_BLOCK;
  Kept kept;
  kept.lds = reinterpret_cast<scalar_t*>(lds + kKeptOffset) + threadIdx.x * kWidth;
  kept.weights_lds = reinterpret_cast<w_t*>(lds + kWeightsOffset) + threadIdx.x * kWidth;
  if constexpr (kIsCluster) hiptune::cluster_barrier();  // all its blocks are there
  if constexpr (WEIGHT_LOAD == WeightLoad::held) kept.load_weights(all.share(first));
  if constexpr (WEIGHT_LOAD == WeightLoad::held_lds) kept.load_weights_to_lds(all.share(first));
  float sum_ahead = 0.0f, inverse_cols = 0.0f;
  if constexpr (AHEAD == Ahead::yes) {
    HIPTUNE_UNROLL
    for (int k = 0; k < REGISTER_VECTORS; ++k) kept.send(all.share(first), k);
    inverse_cols = inverse_of(cols);
    sum_ahead = go_on(Share{}, all.share(first), all.share(first + step), kept, 0.0f);
  }
  int half = 0;
  while (first < rows) {
    const Share share = all.share(first);
    float* const scratch = sums + half * kReductionFloats;
    if constexpr (AHEAD == Ahead::yes) {
      const float sum = sum_of_row(scratch, sum_ahead, all);
      const float scale = scale_of(sum, inverse_cols, epsilon);
      sum_ahead = go_on(share, all.share(first + step), all.share(first + 2 * step), kept, scale);
    } else {
      kept.load(share);
      if constexpr (WEIGHT_LOAD == WeightLoad::early) kept.load_weights(share);
      inverse_cols = inverse_of(cols);
      const float sum = sum_of_row(scratch, sum_of_share(share, kept), all);
      write_share(share, kept, scale_of(sum, inverse_cols, epsilon));
    }
    first += step;
    // Hardly ever is a grid of a block per row so large that blocks loop: there a barrier is cheaper than a register.
    if constexpr (kIsCluster || BLOCKS_PER_CU > 0)
      half = 1 - half;
    else if (first < rows)
      hiptune::barrier();
  }
}

// ---- A row split over blocks that cannot talk to each other: two launches, of which the second reads x again.

struct Place {
  int64 row;
  int part;
};

// The blocks of a row follow each other.
__device__ inline Place place_of(int64 block) { return {block / SPLIT, static_cast<int>(block % SPLIT)}; }

__device__ inline void sum_parts(const scalar_t* x, int64 rows, int64 cols, int64 x_stride, float* partials) {
  float* sums = hiptune::dynamic_lds<float>();
  const int thread = static_cast<int>(threadIdx.x);
  int half = 0;
  for (int64 block = blockIdx.x; block < rows * SPLIT; block += gridDim.x, half = 1 - half) {
    const Place place = place_of(block);
    const Share share = share_of_row(x + place.row * x_stride, nullptr, nullptr, cols, place.part, thread);
    Kept kept;
    kept.load_tail(share);
    const float sum = sum_over_threads(sums + half * kReductionFloats, sum_of_share(share, kept), thread, 0);
    if (thread == 0) partials[block] = sum;
  }
}

__device__ inline void scale_parts(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride,
                                   int64 y_stride, float epsilon, const float* partials) {
  for (int64 block = blockIdx.x; block < rows * SPLIT; block += gridDim.x) {
    const Place place = place_of(block);
    float sum = 0.0f;
    for (int i = 0; i < SPLIT; ++i) sum += partials[place.row * SPLIT + i];
    const Share share = share_of_row(x + place.row * x_stride, w, y + place.row * y_stride, cols, place.part,
                                     static_cast<int>(threadIdx.x));
    Kept kept;
    kept.load_tail(share);
    write_share(share, kept, scale_of(sum, 1.0f / static_cast<float>(cols), epsilon));
  }
}

// ---- Baselines: element by element, as such kernels are written first.

// One thread per row.
__device__ inline void serial(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride,
                              int64 y_stride, float epsilon) {
  const int64 threads = static_cast<int64>(gridDim.x) * kBlock;
  for (int64 r = static_cast<int64>(blockIdx.x) * kBlock + threadIdx.x; r < rows; r += threads) {
    const scalar_t* from = x + r * x_stride;
    float sum = 0.0f;
    for (int64 c = 0; c < cols; ++c) sum += square_of(from[c]);
    const float scale = scale_of(sum, 1.0f / static_cast<float>(cols), epsilon);
    for (int64 c = 0; c < cols; ++c) write_element(y[r * y_stride + c], from[c], scale, w, c);
  }
}

// One block per row, with a tree in LDS.
__device__ inline void block_per_row(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols,
                                     int64 x_stride, int64 y_stride, float epsilon) {
  float* lds = hiptune::dynamic_lds<float>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
    const scalar_t* from = x + r * x_stride;
    float sum = 0.0f;
    for (int64 c = thread; c < cols; c += kBlock) sum += square_of(from[c]);
    const float scale = scale_of(lds_tree_sum(lds, sum, thread), 1.0f / static_cast<float>(cols), epsilon);
    for (int64 c = thread; c < cols; c += kBlock) write_element(y[r * y_stride + c], from[c], scale, w, c);
    // Every thread has read lds[0] before the next row's sums overwrite it.
    hiptune::barrier();
  }
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS_BLOCKS(kBlock, MIN_BLOCKS)
    rmsnorm(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride, int64 y_stride,
            float epsilon, float*, float*) {
  if constexpr (SCHEME == Scheme::fused) fused(x, w, y, rows, cols, x_stride, y_stride, epsilon);
  if constexpr (SCHEME == Scheme::serial) serial(x, w, y, rows, cols, x_stride, y_stride, epsilon);
  if constexpr (SCHEME == Scheme::block) block_per_row(x, w, y, rows, cols, x_stride, y_stride, epsilon);
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS_BLOCKS(kBlock, MIN_BLOCKS)
    rmsnorm_sum_parts(const scalar_t* x, const w_t*, scalar_t*, int64 rows, int64 cols, int64 x_stride, int64, float,
                      float* partials, float*) {
  if constexpr (SCHEME == Scheme::split) sum_parts(x, rows, cols, x_stride, partials);
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS_BLOCKS(kBlock, MIN_BLOCKS)
    rmsnorm_scale_parts(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride,
                        int64 y_stride, float epsilon, float* partials, float*) {
  if constexpr (SCHEME == Scheme::split) scale_parts(x, w, y, rows, cols, x_stride, y_stride, epsilon, partials);
}

// Without fusion: squares[r,c] = x[r,c]^2, sums[r] = sum_c(squares[r,c]), and then y.
extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(kBlock)
    rmsnorm_square(const scalar_t* x, const w_t*, scalar_t*, int64 rows, int64 cols, int64 x_stride, int64, float,
                   float*, float* squares) {
  if constexpr (SCHEME == Scheme::unfused)
    for (int64 r = blockIdx.x; r < rows; r += gridDim.x)
      for (int64 c = threadIdx.x; c < cols; c += kBlock) squares[r * cols + c] = square_of(x[r * x_stride + c]);
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(kBlock)
    rmsnorm_reduce(const scalar_t*, const w_t*, scalar_t*, int64 rows, int64 cols, int64, int64, float, float* sums,
                   float* squares) {
  if constexpr (SCHEME == Scheme::unfused) {
    float* lds = hiptune::dynamic_lds<float>();
    const int thread = static_cast<int>(threadIdx.x);
    for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
      float sum = 0.0f;
      for (int64 c = thread; c < cols; c += kBlock) sum += squares[r * cols + c];
      sum = lds_tree_sum(lds, sum, thread);
      if (thread == 0) sums[r] = sum;
      hiptune::barrier();
    }
  }
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(kBlock)
    rmsnorm_scale(const scalar_t* x, const w_t* w, scalar_t* y, int64 rows, int64 cols, int64 x_stride, int64 y_stride,
                  float epsilon, float* sums, float*) {
  if constexpr (SCHEME == Scheme::unfused)
    for (int64 r = blockIdx.x; r < rows; r += gridDim.x) {
      const float scale = scale_of(sums[r], 1.0f / static_cast<float>(cols), epsilon);
      for (int64 c = threadIdx.x; c < cols; c += kBlock)
        write_element(y[r * y_stride + c], x[r * x_stride + c], scale, w, c);
    }
}
