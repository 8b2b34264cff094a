#pragma once

#include <vector>

#include "hiptune/dispatcher.hpp"
#include "problem/space.hpp"

namespace hiptune {

// Throws Error(bad_input) naming the first argument whose C++ type is not the space's, or a wrong count.
void require_types(const Space& space, Dtype dtype, const std::vector<detail::ArgumentType>& types);

[[nodiscard]] std::string argument_name(const Argument& argument);

}  // namespace hiptune
