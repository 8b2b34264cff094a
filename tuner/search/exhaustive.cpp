#include "search/listed.hpp"

namespace hiptune {

std::unique_ptr<Strategy> exhaustive_strategy(StrategyRequest request) {
  if (request.max_trials && *request.max_trials < request.candidates.size())
    request.candidates.resize(*request.max_trials);
  return std::make_unique<Listed>(std::move(request.candidates));
}

}  // namespace hiptune
