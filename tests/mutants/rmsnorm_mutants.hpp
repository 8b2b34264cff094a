#pragma once

#include <vector>

#include "mutants/mutation.hpp"

// Planted faults of kernel_templates/rmsnorm.hip. Each names one of rmsnorm_settings() and, where the gate's words tell
// more than that results are wrong, what these must hold.
namespace hiptune::test {

using Mutations = std::vector<Mutation>;

[[nodiscard]] Mutations wrong_formulas();
[[nodiscard]] Mutations wrong_special_values();
[[nodiscard]] Mutations wrong_roundings();
[[nodiscard]] Mutations wrong_kept_rows();
[[nodiscard]] Mutations wrong_rereads();
[[nodiscard]] Mutations wrong_splits();
[[nodiscard]] Mutations wrong_accesses();
[[nodiscard]] Mutations wrong_strides();
[[nodiscard]] Mutations wrong_reductions();
[[nodiscard]] Mutations divergences();
// Each barrier that is needed, removed in turn; those of clusters a CPU does not have. Throws std::invalid_argument
// when there are more or fewer.
[[nodiscard]] Mutations missing_barriers(const std::string& text);
// Results are right, or right by luck.
[[nodiscard]] Mutations hidden_faults();

}  // namespace hiptune::test
