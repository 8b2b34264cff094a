#include <random>

#include "search/listed.hpp"

namespace hiptune {
namespace {

// Fisher and Yates's shuffle, by hand: std::shuffle's draws differ between standard libraries, and a seed must mean the
// same order everywhere.
void shuffle(std::vector<Assignment>& configs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = configs.size(); i > 1; --i) std::swap(configs[i - 1], configs[random() % i]);
}

}  // namespace

std::unique_ptr<Strategy> random_strategy(StrategyRequest request) {
  shuffle(request.candidates, request.seed);
  if (request.max_trials && *request.max_trials < request.candidates.size())
    request.candidates.resize(*request.max_trials);
  return std::make_unique<Listed>(std::move(request.candidates));
}

}  // namespace hiptune
