#pragma once

#include <vector>

#include "hiptune/dispatcher.hpp"
#include "problem/problem.hpp"

namespace hiptune {

// Throws Error(bad_input) naming the first argument whose C++ type is not the space's, or a wrong count. Of `problem`
// dtype and traits count. Any type of 16 bits will do for f16 and bf16, since every vendor has its own; for an absent
// buffer any pointer.
void require_types(const Space& space, const Problem& problem, const std::vector<detail::ArgumentType>& types);

// What the space's arguments are to a caller that has addresses of values and no types: every buffer is a void*.
[[nodiscard]] std::vector<detail::ArgumentType> untyped_arguments(const Space& space);

[[nodiscard]] std::string argument_name(const Argument& argument);

}  // namespace hiptune
