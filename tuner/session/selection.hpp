#pragma once

#include <optional>
#include <vector>

#include "measure/finals.hpp"
#include "session/trial.hpp"

namespace hiptune {

struct Selection {
  std::size_t winner = 0;         // index into the trials
  std::vector<std::size_t> ties;  // others that cannot be told apart from the fastest, at most 7
};

// Of those that tie with the fastest in the objective's mode, at most the 8 fastest, the winner is the first that is
// not slower than the fastest of them in the other mode, by more than 1 % beyond two standard errors. First in the
// given order, which is the space's, so that tuning again does not churn the cache.

// By the finals: `finalists` are indices into the trials, ascending; `standings` are theirs.
[[nodiscard]] Selection select(const std::vector<Trial>& trials, Objective objective,
                               const std::vector<std::size_t>& finalists, const std::vector<Standing>& standings,
                               double tie_within);

// By the search alone, where there were no finals: a tie is within 1 %, and by less than two standard errors. None when
// nothing was timed.
[[nodiscard]] std::optional<Selection> select(const std::vector<Trial>& trials, Objective objective);

}  // namespace hiptune
