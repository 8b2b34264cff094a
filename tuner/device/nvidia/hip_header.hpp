#pragma once

namespace hiptune::nvidia {

// "hip/hip_runtime.h" for NVRTC: HIP's qualifiers, indices and builtins are CUDA's, and what has no counterpart there
// follows. HIP's shuffles have no mask: every live lane takes part.
inline constexpr const char* kHipHeader = R"(#pragma once

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;

template <class T>
__device__ inline T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
__device__ inline T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T>
__device__ inline T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T>
__device__ inline T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, mask, width);
}
)";

}  // namespace hiptune::nvidia
