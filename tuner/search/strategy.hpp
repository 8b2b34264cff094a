#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/value.hpp"

namespace hiptune {

// Chooses which configuration to try next: ask and tell. Sees configurations and numbers only.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // The next configuration, or none when the strategy is done. Never the same one twice.
  [[nodiscard]] virtual std::optional<Assignment> ask() = 0;
  // What `ask` will give next, at most `count`, as far as that does not hang on what is told until then: it can be
  // compiled meanwhile.
  [[nodiscard]] virtual std::vector<Assignment> ahead(std::size_t count) const {
    (void)count;
    return {};
  }
  // The objective in nanoseconds of a configuration that was asked for; none: it failed.
  virtual void tell(const Assignment& config, std::optional<double> objective) = 0;
};

struct StrategyRequest {
  std::vector<Assignment> candidates;  // valid ones, in the space's order
  std::uint64_t seed = 0;
  std::optional<std::size_t> max_trials;
};

// One row of the table. A new strategy is one more row, and one file.
struct StrategyEntry {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Strategy> (*make)(StrategyRequest request);
};
[[nodiscard]] const std::vector<StrategyEntry>& strategies();

// Throws Error(bad_input) naming the strategies there are.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(std::string_view name, StrategyRequest request);

[[nodiscard]] std::unique_ptr<Strategy> exhaustive_strategy(StrategyRequest request);
[[nodiscard]] std::unique_ptr<Strategy> random_strategy(StrategyRequest request);
[[nodiscard]] std::unique_ptr<Strategy> covering_strategy(StrategyRequest request);

}  // namespace hiptune
