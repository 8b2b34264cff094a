// y[i] = 2 x[i], with the mishap that the configuration asks for. Made for the CPU alone.
#include "hiptune_config.h"
#include "hiptune_device.h"

using hiptune::int64;

// The C library's, found in the process that loads this.
extern "C" long write(int descriptor, const void* bytes, unsigned long count);
extern "C" void _exit(int code);
extern "C" int memcmp(const void* one, const void* other, unsigned long bytes);

static_assert(MISHAP != Mishap::compile_error, "as asked for");

inline void say_a_lot() {
  const char line[1024] = "a long story";
  for (int i = 0; i < 100; ++i) write(1 + i % 2, line, sizeof(line));
}

inline void meet_with_mishap() {
  if constexpr (MISHAP == Mishap::null_write) {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  if constexpr (MISHAP == Mishap::endless) {
    for (volatile int i = 0;; i = 1) {
    }
  }
  if constexpr (MISHAP == Mishap::last_words) {
    write(2, "farewell \xff\xfe\n", 12);
    __builtin_trap();
  }
  if constexpr (MISHAP == Mishap::leaves) _exit(3);
  if constexpr (MISHAP == Mishap::chatty) say_a_lot();
}

extern "C" __global__ void HIPTUNE_LAUNCH_BOUNDS(BLOCK_SIZE) mishaps(const scalar_t* x, scalar_t* y, int64 elements) {
  const int64 first = static_cast<int64>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (first == 0) meet_with_mishap();
  // What the results do not show: an input that is written with what it holds, and a read beyond it that counts
  // nothing.
  if (MISHAP == Mishap::hidden && first == 0) const_cast<scalar_t*>(x)[0] = static_cast<const volatile scalar_t*>(x)[0];
  if (MISHAP == Mishap::beyond && first == 0 && memcmp(x + elements + 4, x + elements + 4, 4) != 0) return;
  const int64 end = MISHAP == Mishap::wrong ? elements - 1 : elements;
  for (int64 i = first; i < end; i += static_cast<int64>(gridDim.x) * BLOCK_SIZE) y[i] = 2.0f * x[i];
}
