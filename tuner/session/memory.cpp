#include "session/memory.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "gate/cases.hpp"
#include "hiptune/error.hpp"

namespace hiptune {

void require_memory(const Space& space, const Problem& problem, const Device& device, const Device& host, int sets) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const double needed = bytes_needed(space, problem, device.target().facts, sets);
  const double available =
      kMemoryShare * static_cast<double>(std::min(device.target().memory_bytes, host.target().memory_bytes));
  if (needed <= available) return;
  throw bad_input(
      fmt::format("{}: checking it takes {:.1f} GiB of memory, and {:.1f} GiB can be used here; choose "
                  "smaller dimensions",
                  to_string(space, problem), needed / kGiB, available / kGiB));
}

}  // namespace hiptune
