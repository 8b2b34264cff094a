#include "device/host/hints.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace hiptune::host {

namespace {

struct Hint {
  std::vector<std::string_view> names;
  std::string_view instead;
};

const std::vector<Hint>& hints() {
  static const std::vector<Hint> list = {
      {{"__shared__"}, "hiptune::dynamic_lds<T>(), whose bytes the plan's \"dynamic_lds\" gives"},
      {{"__syncthreads"}, "hiptune::barrier()"},
      {{"__syncwarp"}, "none: the shuffles and hiptune::wave_sum() wait for the wave by themselves"},
      {{"__shfl", "__shfl_sync"}, "hiptune::shuffle(value, lane)"},
      {{"__shfl_down", "__shfl_down_sync"}, "hiptune::shuffle_down(value, delta)"},
      {{"__shfl_xor", "__shfl_xor_sync"}, "hiptune::shuffle_xor(value, mask)"},
      {{"warpSize"}, "WAVE_SIZE, or hiptune::wave_width() for small blocks"},
      {{"float2", "float4", "make_float2", "make_float4"}, "hiptune::vector<T, N>, load_vector and store_vector"},
      {{"sqrtf", "rsqrtf", "expf", "logf", "tanhf", "powf", "fmaf", "fabsf", "fminf", "fmaxf", "__expf", "__logf"},
       "hiptune::sqrt, rsqrt, exp, log, tanh, pow, fma, abs, min and max, for every type"},
      {{"__global__", "__device__", "threadIdx", "blockIdx", "blockDim", "gridDim"},
       "the same after #include \"hiptune_device.h\""},
  };
  return list;
}

// In quotes is what the compiler speaks of; without them it may just stand on a line that the log shows.
bool complains_about(const std::string& log, std::string_view name) {
  return log.find(std::string("'").append(name).append("'")) != std::string::npos;
}

}  // namespace

std::string hints_for(const std::string& log) {
  std::string text;
  for (const Hint& hint : hints()) {
    const auto found = std::ranges::find_if(hint.names, [&](auto name) { return complains_about(log, name); });
    if (found == hint.names.end()) continue;
    text += "hint: instead of " + std::string(*found) + " hiptune_device.h has " + std::string(hint.instead) + "\n";
  }
  return text;
}

}  // namespace hiptune::host
