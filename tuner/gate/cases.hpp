#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/inputs.hpp"
#include "gate/oracle.hpp"

namespace hiptune {

// One thing that every variant must compute right: a shape, inputs, scalars, and what comes out.
struct GateCase {
  std::string name;  // "rows=33 cols=257 ramp epsilon=0.5"
  Problem problem;
  std::vector<double> scalars;
  std::vector<BufferLayout> layouts;
  Images images;
  OracleOutputs oracle;
  std::int64_t grid_limit = 0;  // > 0: looping grids are held to so many blocks, so that blocks loop
  bool run_twice = true;
  bool at_tuned_shape = false;
  bool has_tuned_extents = false;  // but for its batch dimensions it is the tuned problem
  bool rows_far_apart = false;     // more than 2^31 elements, where a buffer has a stride; judged on the host only
};

inline constexpr int kTunedSets = 3;

// Random inputs at the tuned shape, set `index` of kTunedSets; the first is run twice. Throws Error(bad_input) where
// the oracle has no finite result.
[[nodiscard]] GateCase tuned_case(const Kernel& kernel, const Problem& problem, const TargetFacts& facts,
                                  const Oracle& oracle, std::uint64_t seed, std::size_t index);

// What small cases are made of, beside random inputs.
struct SmallCases {
  Pages pages = Pages::none;  // of the device that they are for
  std::vector<Pattern> adversarial = adversarial_patterns();
};

// Random inputs and the adversarial set at small shapes: a single element, fewer and more columns than a block has
// threads, more rows than blocks, padded rows, rows more than 2^31 elements apart.
[[nodiscard]] std::vector<GateCase> small_cases(const Kernel& kernel, const Problem& problem, const TargetFacts& facts,
                                                const Oracle& oracle, std::uint64_t seed,
                                                const SmallCases& wanted = {});

// What so many tuned cases take, in bytes: beside the device while they are made or kept, and on it at least.
struct CaseMemory {
  double host = 0;
  double device = 0;
};
[[nodiscard]] CaseMemory case_memory(const Space& space, const Problem& problem, const TargetFacts& facts, int sets);

}  // namespace hiptune
