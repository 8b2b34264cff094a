#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "gate/parallel.hpp"

namespace hiptune {

// Leaves elements that are given no value as they are.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = UnsetAllocator<Other>;
  };
  template <class Other, class... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) > 0) std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

// As large as a problem's buffers may be, of numbers or bytes. `LargeVector<T>(count)` touches nothing: a system gives
// out memory by pages, when they are first written, and that takes longer than all else unless every core does it.
template <class T>
requires std::is_trivial_v<T>
using LargeVector = std::vector<T, UnsetAllocator<T>>;

// So many elements of one value.
template <class T>
[[nodiscard]] LargeVector<T> filled(std::size_t count, T value) {
  LargeVector<T> vector(count);
  in_parallel(static_cast<std::int64_t>(count), [&](std::int64_t begin, std::int64_t end) {
    std::fill(vector.data() + begin, vector.data() + end, value);
  });
  return vector;
}

}  // namespace hiptune
