#include "search/covering.hpp"
#include "search/listed.hpp"
#include "search/shuffled.hpp"

namespace hiptune {

std::unique_ptr<Strategy> covering_strategy(StrategyRequest request) {
  std::vector<Assignment> order = pairwise_covering(request.candidates);
  order = with_missing(std::move(order), shuffled(std::move(request.candidates), request.seed));
  if (request.max_trials && *request.max_trials < order.size()) order.resize(*request.max_trials);
  return std::make_unique<Listed>(std::move(order));
}

}  // namespace hiptune
