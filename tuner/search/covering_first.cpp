#include <algorithm>
#include <set>

#include "search/covering.hpp"
#include "search/listed.hpp"
#include "search/shuffled.hpp"

namespace hiptune {

std::unique_ptr<Strategy> covering_strategy(StrategyRequest request) {
  std::vector<Assignment> order = pairwise_covering(request.candidates);
  std::set<std::string> chosen;
  for (const Assignment& config : order) chosen.insert(to_string(config));
  for (const Assignment& config : shuffled(std::move(request.candidates), request.seed))
    if (!chosen.contains(to_string(config))) order.push_back(config);
  if (request.max_trials && *request.max_trials < order.size()) order.resize(*request.max_trials);
  return std::make_unique<Listed>(std::move(order));
}

}  // namespace hiptune
