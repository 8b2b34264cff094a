#include "search/extent.hpp"

namespace hiptune {

Extent extent_of_search(std::optional<std::string> strategy, std::optional<std::size_t> max_trials,
                        std::size_t candidates, bool on_cpu) {
  if (strategy) return {*strategy, max_trials};
  if (candidates <= kSmallSpace) return {"exhaustive", max_trials};
  if (max_trials) return {"covering", max_trials};
  return {"covering", on_cpu ? kTrialsOnCpu : kTrialsOnGpu, true};
}

}  // namespace hiptune
