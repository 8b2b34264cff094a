#include "session/memory.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "gate/cases.hpp"
#include "hiptune/error.hpp"

namespace hiptune {

void require_memory(const Space& space, const Problem& problem, const Device& device, const Device& host, int sets) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const CaseMemory needed = case_memory(space, problem, device.target().facts, sets);
  const auto require = [&](double bytes, const Device& where) {
    const double available = kMemoryShare * static_cast<double>(where.target().memory_bytes);
    if (bytes <= available) return;
    throw bad_input(
        fmt::format("{}: checking it takes {:.1f} GiB of memory, and {:.1f} GiB can be used on {}; choose "
                    "smaller dimensions",
                    to_string(space, problem), bytes / kGiB, available / kGiB, where.target().id));
  };
  if (device.target().backend == host.target().backend) return require(needed.host + needed.device, device);
  require(needed.host, host);
  require(needed.device, device);
}

}  // namespace hiptune
