#include "search/listed.hpp"
#include "search/shuffled.hpp"

namespace hiptune {

std::unique_ptr<Strategy> random_strategy(StrategyRequest request) {
  std::vector<Assignment> order = shuffled(std::move(request.candidates), request.seed);
  if (request.max_trials && *request.max_trials < order.size()) order.resize(*request.max_trials);
  return std::make_unique<Listed>(std::move(order));
}

}  // namespace hiptune
