// The portable device layer that kernel templates include. A template uses HIP's qualifiers and thread indices and,
// from namespace hiptune: barrier, dynamic_lds, lane, wave, wave_width, shuffle*, wave_sum, group_sum, block_sum,
// cluster_*, vector and its load and store, f16, bf16, sqrt, rsqrt, exp, log, tanh, pow, fma, abs, min, max, to_float,
// to_double, from_float. Everything vendor-specific stands in one section per device below; the rest is shared. Lean on
// purpose, with builtins instead of library headers: it is compiled once per variant.
//
// barrier and the wave operations take the line of their call as a hidden last argument. The CPU compares these lines
// between lanes: threads that meet at different calls are a fault there and undefined behaviour on a GPU.
#pragma once

#if defined(HIPTUNE_HOST_RUNTIME) || defined(HIPTUNE_HOST)
// What a kernel compiled for the CPU and the runtime in tuner/device/host agree on. Any change of these types or of
// the exported names needs a new kAbiVersion.
namespace hiptune::host {

inline constexpr int kAbiVersion = 2;

struct Dim3 {
  unsigned x, y, z;
};

struct Thread;

// Called with every lane's value when the last live lane of a wave has arrived; may overwrite the slots. `lanes` of
// them belong to the wave: fewer than WAVE_SIZE at the end of a block.
using Combine = void (*)(unsigned long long* slots, int lanes);

struct Runtime {
  Thread* (*current)();  // the calling GPU thread's; the same for as long as that thread lives
  void (*barrier)(Thread* self, int line);
  // Waits until every live lane of the wave has arrived, then returns the WAVE_SIZE slots into which each put its
  // `bits`; they stay valid until the wave's next exchange. Slots of lanes that returned or never were hold all ones.
  const unsigned long long* (*exchange)(Thread* self, unsigned long long bits, int line, Combine combine);
  // Watched modules only: the running thread is about to access memory, and takes the address for a multiple of
  // `alignment`; `pc` lies just behind the call that says so.
  void (*access)(const void* address, unsigned long bytes, unsigned long alignment, bool is_write, const void* pc);
  void* (*move)(void* to, const void* from, unsigned long bytes);  // memmove and memset
  void* (*fill)(void* to, int value, unsigned long bytes);
};

// What all threads of a running block share.
struct Block {
  Dim3 index, size, grid;
  int wave_width;
  void* lds;
  const Runtime* runtime;
  void* runner;  // the runtime's own
};

struct Thread {
  Dim3 index;
  int lane, wave;
  const Block* block;
};

// A compiled module exports one of these as `hiptune_host_module`, and `hiptune_entry_NAME` per entry point.
struct ModuleInfo {
  int abi_version;
  int wave_size;
  bool is_watched;         // reports its accesses of memory
  const Runtime* runtime;  // set by the loader
};

}  // namespace hiptune::host
#endif

#if !defined(HIPTUNE_HOST_RUNTIME)

#include "hiptune_config.h"

// Before a loop whose iterations address registers: they must be known when it is compiled.
#if defined(HIPTUNE_HOST)
#define HIPTUNE_UNROLL
#else
#define HIPTUNE_UNROLL _Pragma("unroll")
#endif

#if defined(HIPTUNE_HOST)
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#endif

namespace hiptune {

// IEEE binary16 and bfloat16 as they lie in memory. to_float is exact; from_float rounds to nearest, ties to even,
// once.
struct f16 {
  unsigned short bits;
};
struct bf16 {
  unsigned short bits;
};

// The nearest bfloat16 of a float's bits, ties to even; a NaN stays one.
__device__ inline bf16 bf16_of_bits(unsigned bits) {
  const unsigned rounded = (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1);
  return {static_cast<unsigned short>(rounded >> 16)};
}

// What an access asks of the caches. streaming: it is the last for long, what it brings may go first. kept: it will be
// read again soon, what it brings may go last. once: a load of what the caller keeps itself while others write.
// constant: no launch that is under way writes it, so that compilers may move it before any store. A GPU that has no
// hint of a kind takes it as normal.
enum class Cache { normal, streaming, kept, once, constant };

// N elements at once. In memory they must be aligned to their size, and to 16 bytes where they are more. Elements of 16
// bits lie in whole registers, the first in the lower half: compilers would give each one of its own.
template <class T, int N, bool in_words = sizeof(T) == 2 && N % 2 == 0>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vector {
  T data[N];
  __device__ T& operator[](int i) { return data[i]; }
  __device__ const T& operator[](int i) const { return data[i]; }
};
template <class T, int N>
struct alignas(2 * N < 16 ? 2 * N : 16) vector<T, N, true> {
  unsigned words[N / 2];
  __device__ T operator[](int i) const { return {static_cast<unsigned short>(words[i / 2] >> (i % 2 * 16))}; }
};

}  // namespace hiptune

#if defined(HIPTUNE_HOST)

// A GPU thread is a fiber that stays on one OS thread.

#define __launch_bounds__(...)
#define HIPTUNE_LAUNCH_BOUNDS(...)
#define HIPTUNE_LAUNCH_BOUNDS_BLOCKS(...)

#define threadIdx (::hiptune::host::current()->index)
#define blockIdx (::hiptune::host::current()->block->index)
#define blockDim (::hiptune::host::current()->block->size)
#define gridDim (::hiptune::host::current()->block->grid)

extern "C" __attribute__((visibility("default"))) hiptune::host::ModuleInfo hiptune_host_module;

// Functions whose own accesses are not reported.
#if defined(HIPTUNE_HOST_WATCHED)
#define HIPTUNE_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define HIPTUNE_UNWATCHED
#endif

namespace hiptune::host {

#if defined(HIPTUNE_HOST_WATCHED)
inline constexpr bool kIsWatched = true;

// There is no runtime yet while the module's own start-up code runs.
HIPTUNE_UNWATCHED __attribute__((always_inline)) inline void report(const void* address, unsigned long bytes,
                                                                    unsigned long alignment, bool is_write,
                                                                    const void* pc) {
  if (hiptune_host_module.runtime != nullptr)
    hiptune_host_module.runtime->access(address, bytes, alignment, is_write, pc);
}

// A vector is accessed as a whole; compilers leave out elements that are not used, and clang's instrumentation passes
// over more than 16 bytes.
HIPTUNE_UNWATCHED __attribute__((noinline)) inline void report_vector(const void* address, unsigned long bytes,
                                                                      unsigned long alignment, bool is_write) {
  report(address, bytes, alignment, is_write, __builtin_return_address(0));
}
#else
inline constexpr bool kIsWatched = false;
inline void report_vector(const void*, unsigned long, unsigned long, bool) {}
#endif

// `const` lets the compiler keep one result for a whole kernel: a kernel call is one GPU thread from start to end.
HIPTUNE_UNWATCHED __attribute__((const, noinline)) inline Thread* current() {
  return hiptune_host_module.runtime->current();
}

template <class T>
inline unsigned long long to_bits(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "lanes exchange values of 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
inline T from_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
inline const unsigned long long* exchange(T value, int line, Combine combine = nullptr) {
  Thread* self = current();
  return self->block->runtime->exchange(self, to_bits(value), line, combine);
}

template <class T>
void sum_slots(unsigned long long* slots, int lanes) {
  T sums[WAVE_SIZE];
  for (int i = 0; i < WAVE_SIZE; ++i) sums[i] = i < lanes ? from_bits<T>(slots[i]) : T(0);
  for (int row = 0; row < WAVE_SIZE; row += 16)
    for (int offset = 8; offset > 0; offset /= 2)
      for (int i = row; i < row + offset; ++i) sums[i] += sums[i + offset];
  for (int rows = 16; rows < WAVE_SIZE; rows *= 2)
    for (int i = 0; i < WAVE_SIZE; i += 2 * rows) sums[i] += sums[i + rows];
  slots[0] = to_bits(sums[0]);
}

// Butterflies within groups of N lanes, offsets 1, 2, 4, …; every lane gets its group's sum.
template <int N, class T>
void sum_groups(unsigned long long* slots, int lanes) {
  T sums[WAVE_SIZE];
  for (int i = 0; i < WAVE_SIZE; ++i) sums[i] = i < lanes ? from_bits<T>(slots[i]) : T(0);
  for (int offset = 1; offset < N; offset *= 2) {
    T next[WAVE_SIZE];
    for (int i = 0; i < WAVE_SIZE; ++i) next[i] = sums[i] + sums[i ^ offset];
    for (int i = 0; i < WAVE_SIZE; ++i) sums[i] = next[i];
  }
  for (int i = 0; i < lanes; ++i) slots[i] = to_bits(sums[i]);
}

template <auto Kernel>
struct Entry;

template <class... Parameters, void (*Kernel)(Parameters...)>
struct Entry<Kernel> {
  template <int... Indices>
  struct Sequence {};
#if defined(__clang__)
  template <class, int... Indices>
  using MakeSequence = Sequence<Indices...>;
  using All = __make_integer_seq<MakeSequence, int, int(sizeof...(Parameters))>;
#else
  using All = Sequence<__integer_pack(int(sizeof...(Parameters)))...>;
#endif
  template <int... Indices>
  HIPTUNE_UNWATCHED static void call(void* const* arguments, Sequence<Indices...>) {
    Kernel(*static_cast<Parameters*>(arguments[Indices])...);
  }
};

}  // namespace hiptune::host

#if defined(HIPTUNE_HOST_WATCHED)
// What code compiled with -fsanitize=thread calls, in place of that sanitizer's own runtime.
#define HIPTUNE_HOOK extern "C" HIPTUNE_UNWATCHED __attribute__((used, visibility("hidden")))
#define HIPTUNE_ACCESS_HOOK(name, bytes, alignment, is_write)                                \
  HIPTUNE_HOOK void name(void* address) {                                                    \
    hiptune::host::report(address, bytes, alignment, is_write, __builtin_return_address(0)); \
  }
#define HIPTUNE_ACCESS_HOOKS(bytes, alignment)                              \
  HIPTUNE_ACCESS_HOOK(__tsan_read##bytes, bytes, alignment, false)          \
  HIPTUNE_ACCESS_HOOK(__tsan_write##bytes, bytes, alignment, true)          \
  HIPTUNE_ACCESS_HOOK(__tsan_unaligned_read##bytes, bytes, 1, false)        \
  HIPTUNE_ACCESS_HOOK(__tsan_unaligned_write##bytes, bytes, 1, true)        \
  HIPTUNE_ACCESS_HOOK(__tsan_volatile_read##bytes, bytes, alignment, false) \
  HIPTUNE_ACCESS_HOOK(__tsan_volatile_write##bytes, bytes, alignment, true)
HIPTUNE_ACCESS_HOOKS(1, 1)
HIPTUNE_ACCESS_HOOKS(2, 2)
HIPTUNE_ACCESS_HOOKS(4, 4)
HIPTUNE_ACCESS_HOOKS(8, 8)
HIPTUNE_ACCESS_HOOKS(16, 8)  // compilers call these for what is aligned to 8 bytes, too
HIPTUNE_HOOK void __tsan_read_range(void* address, unsigned long bytes) {
  hiptune::host::report(address, bytes, 1, false, __builtin_return_address(0));
}
HIPTUNE_HOOK void __tsan_write_range(void* address, unsigned long bytes) {
  hiptune::host::report(address, bytes, 1, true, __builtin_return_address(0));
}
HIPTUNE_HOOK void __tsan_init() {}
HIPTUNE_HOOK void __tsan_func_entry(void*) {}
HIPTUNE_HOOK void __tsan_func_exit(void*) {}

// Copies of many bytes become calls: of these three, and by newer versions of clang of the three after them.
#define HIPTUNE_COPY_HOOK(name)                                                \
  HIPTUNE_HOOK void* name(void* to, const void* from, unsigned long bytes) {   \
    hiptune::host::report(from, bytes, 1, false, __builtin_return_address(0)); \
    hiptune::host::report(to, bytes, 1, true, __builtin_return_address(0));    \
    return hiptune_host_module.runtime->move(to, from, bytes);                 \
  }
#define HIPTUNE_FILL_HOOK(name)                                             \
  HIPTUNE_HOOK void* name(void* to, int value, unsigned long bytes) {       \
    hiptune::host::report(to, bytes, 1, true, __builtin_return_address(0)); \
    return hiptune_host_module.runtime->fill(to, value, bytes);             \
  }
HIPTUNE_COPY_HOOK(memcpy)
HIPTUNE_COPY_HOOK(memmove)
HIPTUNE_FILL_HOOK(memset)
HIPTUNE_COPY_HOOK(__tsan_memcpy)
HIPTUNE_COPY_HOOK(__tsan_memmove)
HIPTUNE_FILL_HOOK(__tsan_memset)
#endif

// What the host compiler appends to a template: the module's description, and per entry point a function that takes
// the arguments as hipModuleLaunchKernel does.
#define HIPTUNE_HOST_MODULE(wave_size)                                                                               \
  static_assert(WAVE_SIZE == wave_size, "hiptune_config.h and the architecture disagree about the wave size");       \
  hiptune::host::ModuleInfo hiptune_host_module = {hiptune::host::kAbiVersion, wave_size, hiptune::host::kIsWatched, \
                                                   nullptr};
#define HIPTUNE_HOST_ENTRY(name)                                                                 \
  extern "C" HIPTUNE_UNWATCHED                                                                   \
      __attribute__((visibility("default"))) void hiptune_entry_##name(void* const* arguments) { \
    hiptune::host::Entry<&name>::call(arguments, hiptune::host::Entry<&name>::All());            \
  }

namespace hiptune {

using int64 = long long;

// Every thread of the block, and no returned thread, must reach the same barrier.
inline void barrier(int line = __builtin_LINE()) {
  host::Thread* self = host::current();
  self->block->runtime->barrier(self, line);
}

// The block's dynamic LDS, 128-byte aligned; undefined contents at the start of a block.
template <class T>
inline T* dynamic_lds() {
  return static_cast<T*>(host::current()->block->lds);
}

inline int lane() { return host::current()->lane; }
inline int wave() { return host::current()->wave; }
// min(WAVE_SIZE, threads of the block): no lane beyond it exists.
inline int wave_width() { return host::current()->block->wave_width; }

// The shuffles: T of 4 or 8 bytes; all live lanes of a wave call them together. Reading a lane that returned or that
// the block does not have gives an undefined value; a source outside of the wave gives the caller's own.
template <class T>
inline T shuffle_down(T value, int delta, int line = __builtin_LINE()) {
  const unsigned long long* slots = host::exchange(value, line);
  const int source = lane() + delta;
  return source >= 0 && source < WAVE_SIZE ? host::from_bits<T>(slots[source]) : value;
}

template <class T>
inline T shuffle_xor(T value, int mask, int line = __builtin_LINE()) {
  const unsigned long long* slots = host::exchange(value, line);
  const int source = lane() ^ mask;
  return source >= 0 && source < WAVE_SIZE ? host::from_bits<T>(slots[source]) : value;
}

// The value of lane `source` modulo WAVE_SIZE.
template <class T>
inline T shuffle(T value, int source, int line = __builtin_LINE()) {
  return host::from_bits<T>(host::exchange(value, line)[source & (WAVE_SIZE - 1)]);
}

// The sum over the wave, the same bits in every lane. Order of additions: the xor butterfly with offsets 8, 4, 2, 1
// within rows of 16 lanes, then 16 and 32, lanes that the block does not have counting as 0. No lane may have returned.
template <class T>
inline T wave_sum(T value, int line = __builtin_LINE()) {
  return host::from_bits<T>(host::exchange(value, line, &host::sum_slots<T>)[0]);
}

// The sum over each aligned group of N lanes, N a power of two up to WAVE_SIZE, the same bits in every lane of a group.
// Order of additions: the xor butterfly with offsets 1, 2, 4, …. The block consists of whole waves.
template <int N, class T>
inline T group_sum(T value, int line = __builtin_LINE()) {
  static_assert(N > 0 && N <= WAVE_SIZE && (N & (N - 1)) == 0, "a group is a power of two lanes of a wave");
  if constexpr (N == 1) return value;
  return host::from_bits<T>(host::exchange(value, line, &host::sum_groups<N, T>)[lane()]);
}

// Blocks that share a row of work and see each other's LDS: a cluster. Here a cluster is one block.
inline int cluster_rank() { return 0; }
inline void cluster_barrier(int line = __builtin_LINE()) { barrier(line); }
// Writes to this place of another block's dynamic LDS, which must have begun.
template <class T>
inline void cluster_write(T* lds, int, T value) {
  *lds = value;
}

inline float to_float(f16 x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
inline float to_float(bf16 x) { return __builtin_bit_cast(float, static_cast<unsigned>(x.bits) << 16); }
namespace host {
inline f16 to_f16(float x) { return __builtin_bit_cast(f16, static_cast<_Float16>(x)); }
inline bf16 to_bf16(float x) { return bf16_of_bits(__builtin_bit_cast(unsigned, x)); }
}  // namespace host

inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float rsqrt(float x) { return 1.0f / sqrt(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float exp(float x) { return __builtin_expf(x); }
inline double exp(double x) { return __builtin_exp(x); }
inline float log(float x) { return __builtin_logf(x); }
inline double log(double x) { return __builtin_log(x); }
inline float tanh(float x) { return __builtin_tanhf(x); }
inline double tanh(double x) { return __builtin_tanh(x); }
inline float pow(float x, float y) { return __builtin_powf(x, y); }
inline double pow(double x, double y) { return __builtin_pow(x, y); }
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }

template <int N, Cache = Cache::normal, class T>
inline vector<T, N> load_vector(const T* pointer) {
  vector<T, N> result;
  host::report_vector(pointer, sizeof(result), alignof(vector<T, N>), false);
  __builtin_memcpy(&result, __builtin_assume_aligned(pointer, alignof(vector<T, N>)), sizeof(result));
  return result;
}

template <Cache = Cache::normal, class T, int N>
inline void store_vector(T* pointer, const vector<T, N>& value) {
  host::report_vector(pointer, sizeof(value), alignof(vector<T, N>), true);
  __builtin_memcpy(__builtin_assume_aligned(pointer, alignof(vector<T, N>)), &value, sizeof(value));
}

// From global memory to LDS, as load_vector and store_vector would; without passing through registers where the GPU
// can. Complete for this thread after wait_for_copies: all of them, or all but those of the last `groups` groups.
template <int N, Cache = Cache::normal, class T>
inline void copy_to_lds(T* lds, const T* pointer) {
  store_vector(lds, load_vector<N>(pointer));
}
inline void end_group_of_copies() {}
template <int groups = 0>
inline void wait_for_copies() {}

// The compiler may not reason beyond this point about where the value came from.
template <class T, int N>
inline void hide(vector<T, N>&) {}
template <class T>
inline void hide(T*&) {}
inline void hide(float&) {}
inline void hide(int64&) {}
// Nor may it use again what it made of the value before `since` was known, which is NaN or not negative.
template <class T, int N>
inline void hide(vector<T, N>&, float since) {
  (void)since;
}

}  // namespace hiptune

#define HIPTUNE_CALL_LINE __builtin_LINE()
#define HIPTUNE_CONVERSIONS host

#elif defined(__HIPCC_RTC__) || defined(__HIP__) || defined(__CUDACC__)

// ---- AMD and NVIDIA GPUs

#if defined(__CUDACC__)
#define HIPTUNE_NVIDIA 1
#else
#define HIPTUNE_AMD 1
#endif

#define HIPTUNE_LAUNCH_BOUNDS(threads) __launch_bounds__(threads)
#define HIPTUNE_CALL_LINE 0
#define HIPTUNE_CONVERSIONS gpu

namespace hiptune {

using int64 = long long;

namespace gpu {

// A value as the 32-bit words that lanes exchange.
template <class T>
union Words {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "lanes exchange values of 4 or 8 bytes");
  T value;
  int word[sizeof(T) / 4];
};

__device__ inline int threads() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }
__device__ inline int thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

}  // namespace gpu

__device__ inline void barrier(int = 0) { __syncthreads(); }

extern __shared__ __attribute__((aligned(128))) unsigned char dynamic_lds_bytes[];
template <class T>
__device__ inline T* dynamic_lds() {
  return reinterpret_cast<T*>(dynamic_lds_bytes);
}

__device__ inline int wave() { return gpu::thread() / WAVE_SIZE; }
__device__ inline int wave_width() { return gpu::threads() < WAVE_SIZE ? gpu::threads() : WAVE_SIZE; }

#if defined(HIPTUNE_NVIDIA)

// The second number means blocks of a multiprocessor here.
#define HIPTUNE_LAUNCH_BOUNDS_BLOCKS(threads, blocks) __launch_bounds__(threads, blocks)

__device__ inline int lane() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

namespace gpu {

// Lanes that returned may be in the mask.
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kLanesOfARow = WAVE_SIZE;  // what is summed without asking which lanes there are

template <class T>
__device__ inline T read_lane(T value, int source) {
  Words<T> words{value};
  for (int& word : words.word) word = __shfl_sync(kAllLanes, word, source);
  return words.value;
}

template <class T>
__device__ inline T add_partner(T value, int mask) {
  Words<T> words{value};
  for (int& word : words.word) word = __shfl_xor_sync(kAllLanes, word, mask);
  return value + words.value;
}

// Of a whole wave.
template <class T>
__device__ inline T sum_of_rows(T value, int) {
  for (int mask = 8; mask > 0; mask /= 2) value = add_partner(value, mask);
  return add_partner(value, 16);
}

template <int N, class T>
__device__ inline T sum_of_group(T value) {
  for (int mask = 1; mask < N; mask *= 2) value = add_partner(value, mask);
  return value;
}

using Words2 = uint2;
using Words4 = uint4;

__device__ inline void hide_word(unsigned& word) { asm volatile("" : "+r"(word)); }
__device__ inline void hide_number(float& number) { asm volatile("" : "+f"(number)); }
__device__ inline void hide_number(int64& number) { asm volatile("" : "+l"(number)); }
// The assembler sees through an empty statement, but does not know that the sign is 0.
__device__ inline void hide_word(unsigned& word, float since) {
  word ^= static_cast<unsigned>(__float_as_int(since) >> 31);
}
// That it is one to global memory stays known.
template <class T>
__device__ inline void hide_address(T*& pointer) {
  size_t address = __cvta_generic_to_global(pointer);
  asm volatile("" : "+l"(address));
  pointer = static_cast<T*>(__cvta_global_to_generic(address));
}

template <class T>
__device__ inline T load_streaming(const T* pointer) {
  return __ldcs(pointer);
}
template <class T>
__device__ inline T load_constant(const T* pointer) {
  return __ldg(pointer);
}

// Only whole words have these hints.
template <class T>
__device__ inline T load_kept(const T* pointer) {
  return *pointer;
}
template <class T>
__device__ inline T load_once(const T* pointer) {
  return __ldcs(pointer);
}
#if __CUDA_ARCH__ >= 800
__device__ inline size_t keeping() {
  size_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
#define HIPTUNE_KEEPING_LOADS(name, first_level)                                               \
  __device__ inline unsigned name(const unsigned* pointer) {                                   \
    unsigned x;                                                                                \
    asm volatile("ld.global." first_level ".L2::cache_hint.b32 %0, [%1], %2;"                  \
                 : "=r"(x)                                                                     \
                 : "l"(__cvta_generic_to_global(pointer)), "l"(keeping()));                    \
    return x;                                                                                  \
  }                                                                                            \
  __device__ inline uint2 name(const uint2* pointer) {                                         \
    uint2 x;                                                                                   \
    asm volatile("ld.global." first_level ".L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"         \
                 : "=r"(x.x), "=r"(x.y)                                                        \
                 : "l"(__cvta_generic_to_global(pointer)), "l"(keeping()));                    \
    return x;                                                                                  \
  }                                                                                            \
  __device__ inline uint4 name(const uint4* pointer) {                                         \
    uint4 x;                                                                                   \
    asm volatile("ld.global." first_level ".L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;" \
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)                                  \
                 : "l"(__cvta_generic_to_global(pointer)), "l"(keeping()));                    \
    return x;                                                                                  \
  }
HIPTUNE_KEEPING_LOADS(load_kept, "L1::evict_last")
// Such lines are of no use any more, and yet, on Hopper, kernels that read them so get 3 % nearer to a copy's speed
// than with the lines leaving first.
HIPTUNE_KEEPING_LOADS(load_once, "L1::no_allocate")
#undef HIPTUNE_KEEPING_LOADS

// Of 16 bytes.
template <Cache cache>
__device__ inline void copy_piece(unsigned lds, size_t global) {
  if constexpr (cache == Cache::once)
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(lds), "l"(global), "l"(keeping())
                 : "memory");
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(lds), "l"(global) : "memory");
}
#endif
template <class T>
__device__ inline void store_streaming(T* pointer, T value) {
  __stcs(pointer, value);
}

__device__ inline f16 to_f16(float x) {
  f16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}

__device__ inline bf16 to_bf16(float x) {
#if __CUDA_ARCH__ >= 800
  bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
#else
  return bf16_of_bits(__float_as_uint(x));
#endif
}

}  // namespace gpu

__device__ inline float to_float(f16 x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}
__device__ inline float to_float(bf16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }

// Blocks that share a row of work and see each other's LDS: a cluster. Without the hardware for it (before sm_90) a
// cluster is one block.
__device__ inline int cluster_rank() {
#if __CUDA_ARCH__ >= 900
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
#else
  return 0;
#endif
}

// All threads of the cluster's blocks; what they wrote to LDS before it is seen after it.
__device__ inline void cluster_barrier(int = 0) {
#if __CUDA_ARCH__ >= 900
  __syncwarp();  // the lanes of a wave must come together
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

// Writes to this place of another block's dynamic LDS, which must have begun.
template <class T>
__device__ inline void cluster_write(T* lds, int rank, T value) {
  static_assert(sizeof(T) == 4, "a cluster's blocks write words to each other");
#if __CUDA_ARCH__ >= 900
  const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(lds));
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(gpu::Words<T>{value}.word[0]) : "memory");
#else
  *lds = value;
#endif
}

#else  // HIPTUNE_AMD

// The second number means waves of a SIMD unit here; a compute unit has four of them with waves of 64, else two.
#define HIPTUNE_LAUNCH_BOUNDS_BLOCKS(threads, blocks) \
  __launch_bounds__(threads, ::hiptune::gpu::waves_of_a_simd(((threads) + WAVE_SIZE - 1) / WAVE_SIZE * (blocks)))

__device__ inline int lane() {
  const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return static_cast<int>(WAVE_SIZE == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low);
}

namespace gpu {

constexpr int kLanesOfARow = 16;

constexpr int waves_of_a_simd(int waves) { return WAVE_SIZE == 64 ? (waves + 3) / 4 : (waves + 1) / 2; }

template <class T>
__device__ inline T read_lane(T value, int source) {
  Words<T> words{value};
  for (int& word : words.word) word = __builtin_amdgcn_ds_bpermute(source * 4, word);
  return words.value;
}

// What must stand between an instruction that writes a register and DPP that reads it; the compiler adds nothing around
// assembly. gfx9 wants wait states, gfx11 that the slow instructions (rsqrt, exp) have ended, and gfx1250 another
// instruction between a slow one and what reads its result.
#if defined(__gfx1250__) || defined(__gfx1251__)
#define HIPTUNE_BEFORE_DPP "v_nop\n\t"
#elif defined(__GFX11__)
#define HIPTUNE_BEFORE_DPP "s_waitcnt_depctr 0xfff\n\t"
#else
#define HIPTUNE_BEFORE_DPP "s_nop 4\n\t"
#endif

// Within a row of 16 lanes, from the lane `Offset` before (DPP). The move has a register of its own as its destination,
// and is no part of the addition: what executes the ISA lane by lane gets an exchange in place wrong.
template <int Offset, class T>
__device__ inline T rotate_row(T value) {
  Words<T> words{value};
  for (int& word : words.word) {
    int moved;
    asm volatile(HIPTUNE_BEFORE_DPP "v_mov_b32_dpp %0, %1 row_ror:%2 row_mask:0xf bank_mask:0xf"
                 : "=&v"(moved)
                 : "v"(word), "n"(Offset));
    word = moved;
  }
  return words.value;
}

// A lane's value in a scalar register.
template <class T>
__device__ inline T read_one_lane(T value, int source) {
  Words<T> words{value};
  for (int& word : words.word) word = __builtin_amdgcn_readlane(word, source);
  return words.value;
}

// Lanes that differ by 8 have equal sums after the first step, and so on: a rotation then reaches the partner's equal.
template <class T>
__device__ inline T row_sum(T value) {
  value += rotate_row<8>(value);
  value += rotate_row<4>(value);
  value += rotate_row<2>(value);
  return value + rotate_row<1>(value);
}

// Of a wave of whole rows.
template <class T>
__device__ inline T sum_of_rows(T value, int lanes) {
  value = row_sum(value);
  T sum = read_one_lane(value, 0);
  if (lanes > 16) sum += read_one_lane(value, 16);
  if (WAVE_SIZE == 64 && lanes > 32) {
    T upper = read_one_lane(value, 32);
    if (lanes > 48) upper += read_one_lane(value, 48 % WAVE_SIZE);
    sum += upper;
  }
  return sum;
}

// From the partner of each lane within a row of 16 (DPP): its neighbour, and so on. As in rotate_row, the move has a
// register of its own.
#define HIPTUNE_DPP_MOVE(name, control)                                                             \
  template <class T>                                                                                \
  __device__ inline T name(T value) {                                                               \
    Words<T> words{value};                                                                          \
    for (int& word : words.word) {                                                                  \
      int moved;                                                                                    \
      asm volatile(HIPTUNE_BEFORE_DPP "v_mov_b32_dpp %0, %1 " control " row_mask:0xf bank_mask:0xf" \
                   : "=&v"(moved)                                                                   \
                   : "v"(word));                                                                    \
      word = moved;                                                                                 \
    }                                                                                               \
    return words.value;                                                                             \
  }
HIPTUNE_DPP_MOVE(from_neighbour, "quad_perm:[1,0,3,2]")
HIPTUNE_DPP_MOVE(from_pair, "quad_perm:[2,3,0,1]")
HIPTUNE_DPP_MOVE(from_quad, "row_half_mirror")  // mirrored, which is the same once the sums of a quad are equal
HIPTUNE_DPP_MOVE(from_half, "row_mirror")
#undef HIPTUNE_DPP_MOVE

template <int N, class T>
__device__ inline T sum_of_group(T value) {
  if constexpr (N > 1) value += from_neighbour(value);
  if constexpr (N > 2) value += from_pair(value);
  if constexpr (N > 4) value += from_quad(value);
  if constexpr (N > 8) value += from_half(value);
  for (int mask = 16; mask < N; mask *= 2) value += read_lane(value, lane() ^ mask);
  return value;
}

using Words2 = unsigned __attribute__((ext_vector_type(2)));
using Words4 = unsigned __attribute__((ext_vector_type(4)));

__device__ inline void hide_word(unsigned& word) { asm volatile("" : "+v"(word)); }
__device__ inline void hide_word(unsigned& word, float) { hide_word(word); }
__device__ inline void hide_number(float& number) { asm volatile("" : "+v"(number)); }
__device__ inline void hide_number(int64& number) { asm volatile("" : "+v"(number)); }
// Not hidden: where a pointer came from tells the compiler that it is one to global memory.
template <class T>
__device__ inline void hide_address(T*&) {}

template <class T>
__device__ inline T load_streaming(const T* pointer) {
  return __builtin_nontemporal_load(pointer);
}
template <class T>
__device__ inline T load_kept(const T* pointer) {
  return *pointer;
}
template <class T>
__device__ inline T load_once(const T* pointer) {
  return __builtin_nontemporal_load(pointer);
}
template <class T>
__device__ inline T load_constant(const T* pointer) {
  return *pointer;
}
template <class T>
__device__ inline void store_streaming(T* pointer, T value) {
  __builtin_nontemporal_store(value, pointer);
}

__device__ inline f16 to_f16(float x) { return __builtin_bit_cast(f16, static_cast<_Float16>(x)); }

__device__ inline bf16 to_bf16(float x) { return bf16_of_bits(__builtin_bit_cast(unsigned, x)); }

}  // namespace gpu

__device__ inline float to_float(f16 x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
__device__ inline float to_float(bf16 x) { return __builtin_bit_cast(float, static_cast<unsigned>(x.bits) << 16); }

// Blocks that share a row of work and see each other's LDS: a cluster. Here a cluster is one block.
__device__ inline int cluster_rank() { return 0; }
__device__ inline void cluster_barrier(int = 0) { barrier(); }
// Writes to this place of another block's dynamic LDS, which must have begun.
template <class T>
__device__ inline void cluster_write(T* lds, int, T value) {
  *lds = value;
}

#endif

// The shuffles: T of 4 or 8 bytes; all live lanes of a wave call them together. Reading a lane that returned or that
// the block does not have gives an undefined value; a source outside of the wave gives the caller's own.
template <class T>
__device__ inline T shuffle_down(T value, int delta, int = 0) {
  const int source = lane() + delta;
  return gpu::read_lane(value, source >= 0 && source < WAVE_SIZE ? source : lane());
}

template <class T>
__device__ inline T shuffle_xor(T value, int mask, int = 0) {
  const int source = lane() ^ mask;
  return gpu::read_lane(value, source >= 0 && source < WAVE_SIZE ? source : lane());
}

template <class T>
__device__ inline T shuffle(T value, int source, int = 0) {
  return gpu::read_lane(value, source & (WAVE_SIZE - 1));
}

namespace gpu {

template <class T>
__device__ inline T add_partner_if_there(T value, int mask, int lanes) {
  const T partner = read_lane(value, lane() ^ mask);
  return (lane() ^ mask) < lanes ? value + partner : value;
}

// The sum of a wave that has but `lanes` lanes, the others counting as 0. It is complete in lane 0: a lane that it
// needs and that is missing would have had only missing ones to add.
template <class T>
__device__ inline T partial_wave_sum(T value, int lanes) {
  for (int mask = 8; mask > 0; mask /= 2) value = add_partner_if_there(value, mask, lanes);
  for (int mask = 16; mask < WAVE_SIZE; mask *= 2) value = add_partner_if_there(value, mask, lanes);
  return read_lane(value, 0);
}

}  // namespace gpu

// The sum over the wave, the same bits in every lane. Order of additions: the xor butterfly with offsets 8, 4, 2, 1
// within rows of 16 lanes, then 16 and 32, lanes that the block does not have counting as 0. No lane may have returned.
template <class T>
__device__ inline T wave_sum(T value, int = 0) {
  const int lanes = gpu::threads() - wave() * WAVE_SIZE;
  const bool is_whole = lanes >= WAVE_SIZE || (lanes % gpu::kLanesOfARow == 0 && lanes > 0);
  return is_whole ? gpu::sum_of_rows(value, lanes) : gpu::partial_wave_sum(value, lanes);
}

// The sum over each aligned group of N lanes, N a power of two up to WAVE_SIZE, the same bits in every lane of a group.
// Order of additions: the xor butterfly with offsets 1, 2, 4, …. The block consists of whole waves.
template <int N, class T>
__device__ inline T group_sum(T value, int = 0) {
  static_assert(N > 0 && N <= WAVE_SIZE && (N & (N - 1)) == 0, "a group is a power of two lanes of a wave");
  return gpu::sum_of_group<N>(value);
}

__device__ inline float sqrt(float x) { return ::sqrtf(x); }
__device__ inline double sqrt(double x) { return ::sqrt(x); }
__device__ inline float rsqrt(float x) { return ::rsqrtf(x); }
__device__ inline double rsqrt(double x) { return ::rsqrt(x); }
__device__ inline float exp(float x) { return ::expf(x); }
__device__ inline double exp(double x) { return ::exp(x); }
__device__ inline float log(float x) { return ::logf(x); }
__device__ inline double log(double x) { return ::log(x); }
__device__ inline float tanh(float x) { return ::tanhf(x); }
__device__ inline double tanh(double x) { return ::tanh(x); }
__device__ inline float pow(float x, float y) { return ::powf(x, y); }
__device__ inline double pow(double x, double y) { return ::pow(x, y); }
__device__ inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
__device__ inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
__device__ inline float abs(float x) { return ::fabsf(x); }
__device__ inline double abs(double x) { return ::fabs(x); }

namespace gpu {

template <int Bytes>
struct Chunk;
template <>
struct Chunk<2> {
  using type = unsigned short;
};
template <>
struct Chunk<4> {
  using type = unsigned;
};
template <>
struct Chunk<8> {
  using type = Words2;
};
template <>
struct Chunk<16> {
  using type = Words4;
};

// What one instruction moves.
template <class T, int N>
using ChunkOf = typename Chunk<alignof(vector<T, N>)>::type;

}  // namespace gpu

template <int N, Cache cache = Cache::normal, class T>
__device__ inline vector<T, N> load_vector(const T* pointer) {
  using Piece = gpu::ChunkOf<T, N>;
  vector<T, N> result;
  const Piece* from = reinterpret_cast<const Piece*>(pointer);
  Piece* to = reinterpret_cast<Piece*>(&result);
  for (int i = 0; i < static_cast<int>(sizeof(result) / sizeof(Piece)); ++i) {
    if constexpr (cache == Cache::streaming)
      to[i] = gpu::load_streaming(from + i);
    else if constexpr (cache == Cache::kept)
      to[i] = gpu::load_kept(from + i);
    else if constexpr (cache == Cache::once)
      to[i] = gpu::load_once(from + i);
    else if constexpr (cache == Cache::constant)
      to[i] = gpu::load_constant(from + i);
    else
      to[i] = from[i];
  }
  return result;
}

template <Cache cache = Cache::normal, class T, int N>
__device__ inline void store_vector(T* pointer, const vector<T, N>& value) {
  using Piece = gpu::ChunkOf<T, N>;
  const Piece* from = reinterpret_cast<const Piece*>(&value);
  Piece* to = reinterpret_cast<Piece*>(pointer);
  for (int i = 0; i < static_cast<int>(sizeof(value) / sizeof(Piece)); ++i) {
    if constexpr (cache == Cache::streaming)
      gpu::store_streaming(to + i, from[i]);
    else
      to[i] = from[i];
  }
}

// From global memory to LDS, as load_vector and store_vector would; without passing through registers where the GPU
// can. Complete for this thread after wait_for_copies: all of them, or all but those of the last `groups` groups.
template <int N, Cache cache = Cache::normal, class T>
__device__ inline void copy_to_lds(T* lds, const T* pointer) {
#if defined(HIPTUNE_NVIDIA) && __CUDA_ARCH__ >= 800
  if constexpr (alignof(vector<T, N>) == 16) {
    for (int i = 0; i < static_cast<int>(sizeof(vector<T, N>) / 16); ++i)
      gpu::copy_piece<cache>(static_cast<unsigned>(__cvta_generic_to_shared(lds)) + i * 16,
                             __cvta_generic_to_global(pointer) + i * 16);
    return;
  }
#endif
  store_vector(lds, load_vector<N, cache>(pointer));
}
__device__ inline void end_group_of_copies() {
#if defined(HIPTUNE_NVIDIA) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int groups = 0>
__device__ inline void wait_for_copies() {
#if defined(HIPTUNE_NVIDIA) && __CUDA_ARCH__ >= 800
  if constexpr (groups == 0)
    asm volatile("cp.async.wait_all;" ::: "memory");
  else
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

// The compiler may not reason beyond this point about where the value came from.
template <class T>
__device__ inline void hide(T*& pointer) {
  gpu::hide_address(pointer);
}
__device__ inline void hide(float& value) { gpu::hide_number(value); }
__device__ inline void hide(int64& value) { gpu::hide_number(value); }
template <class T, int N, class... Since>
__device__ inline void hide_words(vector<T, N>& value, Since... since) {
  if constexpr (sizeof(value) % 4 == 0) {
    unsigned* words = reinterpret_cast<unsigned*>(&value);
    for (int i = 0; i < static_cast<int>(sizeof(value) / 4); ++i) gpu::hide_word(words[i], since...);
  }
}
template <class T, int N>
__device__ inline void hide(vector<T, N>& value) {
  hide_words(value);
}
// Nor may it use again what it made of the value before `since` was known, which is NaN or not negative.
template <class T, int N>
__device__ inline void hide(vector<T, N>& value, float since) {
  hide_words(value, since);
}

}  // namespace hiptune

#else
#error "hiptune_device.h: no device selected; the host compiler defines HIPTUNE_HOST"
#endif

namespace hiptune {

template <class T>
__device__ constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ constexpr T max(T a, T b) {
  return a < b ? b : a;
}
__device__ constexpr int abs(int x) { return x < 0 ? -x : x; }
__device__ constexpr int64 abs(int64 x) { return x < 0 ? -x : x; }

__device__ constexpr float to_float(float x) { return x; }
__device__ constexpr float to_float(double x) { return static_cast<float>(x); }
__device__ constexpr double to_double(double x) { return x; }
template <class T>
__device__ inline double to_double(T x) {
  return to_float(x);
}

namespace detail {
template <class T>
struct FromFloat {
  __device__ static constexpr T convert(float x) { return static_cast<T>(x); }
};
template <>
struct FromFloat<f16> {
  __device__ static f16 convert(float x) { return HIPTUNE_CONVERSIONS::to_f16(x); }
};
template <>
struct FromFloat<bf16> {
  __device__ static bf16 convert(float x) { return HIPTUNE_CONVERSIONS::to_bf16(x); }
};
}  // namespace detail

template <class T>
__device__ constexpr T from_float(float x) {
  return detail::FromFloat<T>::convert(x);
}

// Two elements of 16 bits in a word, the first in the lower half.
template <class T>
__device__ inline unsigned pack(float low, float high) {
  return from_float<T>(low).bits | static_cast<unsigned>(from_float<T>(high).bits) << 16;
}
#if defined(HIPTUNE_NVIDIA) && __CUDA_ARCH__ >= 800
template <>
__device__ inline unsigned pack<f16>(float low, float high) {
  unsigned word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
template <>
__device__ inline unsigned pack<bf16>(float low, float high) {
  unsigned word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
#endif

// The same, vector by vector.
template <class T, int N>
__device__ inline vector<float, N> to_floats(const vector<T, N>& x) {
  vector<float, N> result;
  for (int i = 0; i < N; ++i) result[i] = to_float(x[i]);
  return result;
}
template <class T, int N>
__device__ inline vector<T, N> from_floats(const vector<float, N>& x) {
  vector<T, N> result;
  if constexpr (sizeof(T) == 2 && N % 2 == 0) {
    for (int i = 0; i < N / 2; ++i) result.words[i] = pack<T>(x[2 * i], x[2 * i + 1]);
  } else {
    for (int i = 0; i < N; ++i) result[i] = from_float<T>(x[i]);
  }
  return result;
}

// The sum over the block, the same bits in every thread: wave_sum of each wave, then those in order of the waves.
// `scratch` is LDS for one T per wave, free for other use on return.
template <class T>
__device__ inline T block_sum(T value, T* scratch, int line = HIPTUNE_CALL_LINE) {
  const T of_wave = wave_sum(value, line);
  if (lane() == 0) scratch[wave()] = of_wave;
  barrier(line);
  const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  const int waves = (threads + WAVE_SIZE - 1) / WAVE_SIZE;
  T sum = scratch[0];
  for (int i = 1; i < waves; ++i) sum += scratch[i];
  barrier(line);
  return sum;
}

}  // namespace hiptune

#endif  // !HIPTUNE_HOST_RUNTIME
