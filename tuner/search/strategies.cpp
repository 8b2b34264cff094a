#include "search/strategy.hpp"

#include "hiptune/error.hpp"
#include "problem/nearest.hpp"

namespace hiptune {

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> table{
      {"exhaustive", "every configuration, in the space's order", exhaustive_strategy},
      {"random", "configurations drawn without repetition from a seed", random_strategy},
      {"covering", "first some in which every pair of values occurs, then the rest as random does", covering_strategy},
  };
  return table;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, StrategyRequest request) {
  std::string known;
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name == name) return entry.make(std::move(request));
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw bad_input("--strategy " + excerpt(name) + ": no such strategy; there are " + known);
}

}  // namespace hiptune
