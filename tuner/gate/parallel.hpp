#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace hiptune {

// work(begin, end) over parts of [0, count), one part per core. `work` must not throw.
template <class Work>
void in_parallel(std::int64_t count, const Work& work) {
  constexpr std::int64_t kWorthAThread = 1 << 16;
  const std::int64_t cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t parts = std::clamp<std::int64_t>(count / kWorthAThread, 1, cores);
  std::vector<std::jthread> threads;
  for (std::int64_t i = 1; i < parts; ++i)
    threads.emplace_back(
        [&work, i, parts, count] { work(count / parts * i, i + 1 == parts ? count : count / parts * (i + 1)); });
  work(0, parts == 1 ? count : count / parts);
}

}  // namespace hiptune
