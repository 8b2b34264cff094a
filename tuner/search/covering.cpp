#include "search/covering.hpp"

#include <set>
#include <string>

namespace hiptune {
namespace {

using Pairs = std::set<std::string>;

// A lone tunable counts as a pair with itself, so that each of its values is covered too.
Pairs pairs_of(const Assignment& config) {
  Pairs pairs;
  for (std::size_t i = 0; i < config.size(); ++i)
    for (std::size_t j = i; j < config.size(); ++j) pairs.insert(to_string(Assignment{config[i], config[j]}));
  return pairs;
}

std::size_t count_new(const Pairs& pairs, const Pairs& open) {
  std::size_t count = 0;
  for (const std::string& pair : pairs) count += open.count(pair);
  return count;
}

}  // namespace

std::vector<Assignment> pairwise_covering(const std::vector<Assignment>& candidates) {
  std::vector<Pairs> pairs;
  Pairs open;
  for (const Assignment& candidate : candidates) {
    pairs.push_back(pairs_of(candidate));
    open.insert(pairs.back().begin(), pairs.back().end());
  }
  std::vector<Assignment> chosen;
  while (!open.empty()) {
    std::size_t best = 0, best_count = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t count = count_new(pairs[i], open);
      if (count > best_count) best = i, best_count = count;
    }
    chosen.push_back(candidates[best]);
    for (const std::string& pair : pairs[best]) open.erase(pair);
  }
  return chosen;
}

}  // namespace hiptune
