#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace hiptune {

// A configuration: one value for every tunable, in the space's order.
using Config = Assignment;

// Puts tunables into the space's order and checks names and values. Throws Error(bad_input), prefixed by `where`.
[[nodiscard]] Config make_config(const Space& space, const Assignment& values, const std::string& where);

// "NAME=VALUE" texts (--fix, --trait) against the tunables or traits of the space.
[[nodiscard]] Assignment parse_tunables(const Space& space, const std::vector<std::string>& texts);
[[nodiscard]] Assignment parse_traits(const Space& space, const std::vector<std::string>& texts);

// Why a configuration may not run for a problem on a target: the constraint's reason, or the target's limit on block
// size, LDS or grid that its plan breaks. None: it may.
[[nodiscard]] std::optional<std::string> why_invalid(const Space& space, const Problem& problem,
                                                     const TargetFacts& facts, const Config& config);

// Every configuration with `fixed` tunables held, in lexicographic order of the declared values, valid or not.
// Throws Error(bad_input) when there are more than two million.
[[nodiscard]] std::vector<Config> all_configs(const Space& space, const Assignment& fixed);

}  // namespace hiptune
