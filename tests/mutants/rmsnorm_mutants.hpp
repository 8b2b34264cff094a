#pragma once

#include <vector>

#include "mutants/mutation.hpp"

// Planted faults of kernel_templates/rmsnorm.hip, by kind.
namespace hiptune::test {

[[nodiscard]] std::vector<Mutation> wrong_formulas();
[[nodiscard]] std::vector<Mutation> wrong_accesses();
[[nodiscard]] std::vector<Mutation> wrong_reductions();
[[nodiscard]] std::vector<Mutation> divergences();
// Every barrier of the template, removed in turn.
[[nodiscard]] std::vector<Mutation> missing_barriers(const std::string& text);

}  // namespace hiptune::test
