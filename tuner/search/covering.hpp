#pragma once

#include <vector>

#include "problem/value.hpp"

namespace hiptune {

// A small subset of `candidates` in which every pair of values of two tunables that occurs together in some candidate
// occurs together in a chosen one. Greedy: takes the candidate with the most new pairs, the first among equals, so the
// result is deterministic, and whoever stops early has seen many pairs.
[[nodiscard]] std::vector<Assignment> pairwise_covering(const std::vector<Assignment>& candidates);

// The list, and behind it those of `more` that it does not have.
[[nodiscard]] std::vector<Assignment> with_missing(std::vector<Assignment> list, const std::vector<Assignment>& more);

}  // namespace hiptune
