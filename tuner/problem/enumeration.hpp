#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "problem/config.hpp"

namespace hiptune {

// The values that some tunables keep to, in the order in which the space lists them; the others take all of theirs.
using Restriction = std::vector<std::pair<std::string, std::vector<Value>>>;

// "NAME=VALUE" and "NAME=VALUE,VALUE" texts (--fix). Throws Error(bad_input) naming an unknown or repeated name or
// value, and one that is missing.
[[nodiscard]] Restriction parse_restriction(const Space& space, const std::vector<std::string>& texts);
// Each tunable of `held` keeps to its value.
[[nodiscard]] Restriction restriction_to(const Assignment& held);
// "REDUCTION=serial BLOCK_SIZE=64,128"
[[nodiscard]] std::string to_string(const Restriction& restriction);
// Whether it leaves anything of the space out.
[[nodiscard]] bool is_partial(const Space& space, const Restriction& restriction);

// Configurations that the constraints or the target's limits forbid.
struct Invalid {
  std::uint64_t count = 0;  // 2^64 - 1: so many or more
  std::string example;      // the last one as far as it matters, with its reason: "A=2 B=1: A must be below B"
};

struct Enumeration {
  std::vector<Config> valid;  // in lexicographic order of the declared values
  Invalid invalid;
};

// All valid configurations within a restriction. Goes through the tunables in the space's order and leaves out at once
// what a constraint forbids whose tunables all have values, so that a space of 10^8 combinations, few of them valid, is
// listed in a moment. Throws Error(bad_input), with the last reason, when none is valid, and when there is too much to
// go through all the same.
[[nodiscard]] Enumeration valid_configs(const Space& space, const Problem& problem, const TargetFacts& facts,
                                        const Restriction& restriction);

}  // namespace hiptune
