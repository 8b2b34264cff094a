#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace hiptune {

// What a call gives besides the problem: one pointer per buffer argument, one stride per stride argument, one value
// per scalar argument, one pointer per workspace, each in the space's order.
struct CallValues {
  std::vector<void*> buffers;
  std::vector<std::int64_t> strides;  // elements
  std::vector<double> scalars;
  std::vector<void*> workspaces;
};

// The argument values of every launch of a plan, in the space's order and then the workspaces, in the form that
// Device::launch takes. Move-only, so that the pointers stay good.
class ArgumentList {
 public:
  ArgumentList(const Space& space, const Problem& problem, const CallValues& values);
  ArgumentList(ArgumentList&&) = default;
  ArgumentList& operator=(ArgumentList&&) = default;

  [[nodiscard]] void* const* pointers() const { return pointers_.data(); }

 private:
  using Slot = std::array<std::byte, 8>;
  std::vector<Slot> slots_;
  std::vector<void*> pointers_;
};

}  // namespace hiptune
