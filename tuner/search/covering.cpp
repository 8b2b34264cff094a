#include "search/covering.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace hiptune {
namespace {

using Pairs = std::vector<std::size_t>;  // by number

// Numbers what is the same alike.
class Numbering {
 public:
  std::size_t operator()(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

// A lone tunable counts as a pair with itself, so that each of its values is covered too.
Pairs pairs_of(const Assignment& config, Numbering& numbering) {
  Pairs pairs;
  for (std::size_t i = 0; i < config.size(); ++i)
    for (std::size_t j = i; j < config.size(); ++j)
      pairs.push_back(numbering(to_string(Assignment{config[i], config[j]})));
  return pairs;
}

}  // namespace

std::vector<Assignment> pairwise_covering(const std::vector<Assignment>& candidates) {
  Numbering numbering;
  std::vector<Pairs> pairs;
  for (const Assignment& candidate : candidates) pairs.push_back(pairs_of(candidate, numbering));
  std::vector<char> is_open(numbering.size(), 1);
  const auto count_new = [&](const Pairs& some) {
    return std::ranges::count_if(some, [&](std::size_t pair) { return is_open[pair] != 0; });
  };
  std::vector<Assignment> chosen;
  for (std::size_t open = numbering.size(); open > 0;) {
    const auto best = std::ranges::max_element(pairs, {}, count_new) - pairs.begin();
    chosen.push_back(candidates[static_cast<std::size_t>(best)]);
    for (const std::size_t pair : pairs[static_cast<std::size_t>(best)]) {
      open -= is_open[pair] != 0 ? 1 : 0;
      is_open[pair] = 0;
    }
  }
  return chosen;
}

std::vector<Assignment> with_missing(std::vector<Assignment> list, const std::vector<Assignment>& more) {
  std::set<std::string> known;
  for (const Assignment& one : list) known.insert(to_string(one));
  for (const Assignment& one : more)
    if (known.insert(to_string(one)).second) list.push_back(one);
  return list;
}

}  // namespace hiptune
