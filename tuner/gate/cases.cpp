#include "gate/cases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include <spdlog/fmt/fmt.h>

#include "gate/far_buffers.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

struct SmallShape {
  std::int64_t batch, other;
  std::int64_t grid_limit;
  bool padded;
  bool adversarial;
};

constexpr std::int64_t kTunedExtent = 0;  // in a shape: that of the tuned problem

// 257 and 1030 straddle the usual blocks with a ragged end; 256 and 2048 take the path of whole vectors; 1100 rows are
// more than a block of one thread per row holds, so that its single block has to loop. The tuned extents with a few
// padded rows are the path that will be used most.
constexpr SmallShape kSmallShapes[] = {
    {1, 1, 0, false, false},    {3, 13, 2, true, true},     {33, 257, 2, true, true},
    {7, 256, 2, true, true},    {5, 1030, 2, true, false},  {3, 2048, 2, true, false},
    {1, 4096, 0, false, false}, {1100, 2, 1, false, false}, {3, kTunedExtent, 2, true, true}};
// Elements of a buffer up to which the tuned extents with a few rows get the whole adversarial set, up to which they
// get the start of it, for configurations that are valid at no other small shape, and up to which they get random
// inputs.
constexpr std::int64_t kSmallElements = 200'000;
constexpr std::int64_t kMediumElements = 4'000'000;
constexpr std::int64_t kMostElements = 16'000'000;

// The extent of the k-th dimension of its kind: a kernel that takes one dimension for another must not be right by
// chance. Multiples of 4 stay so.
std::int64_t distinct(std::int64_t extent, std::int64_t k) {
  if (extent == 1) return 1;
  return extent % 4 == 0 ? extent + 4 * k : extent + 2 * k;
}

Problem small_problem(const Space& space, const Problem& tuned, const SmallShape& shape) {
  const bool only_batch = std::all_of(space.dimensions.begin(), space.dimensions.end(),
                                      [](const Dimension& dimension) { return dimension.batch; });
  Problem problem = tuned;
  std::int64_t batch_seen = 0, others_seen = 0;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    if (shape.other == kTunedExtent && !dimension.batch) continue;
    std::int64_t& seen = dimension.batch ? batch_seen : others_seen;
    const std::int64_t wanted = only_batch ? shape.batch * shape.other : dimension.batch ? shape.batch : shape.other;
    problem.dimensions[i] = std::clamp(distinct(wanted, seen++), dimension.minimum, dimension.maximum);
  }
  return problem;
}

std::int64_t largest_buffer(const Space& space, const Problem& problem, const TargetFacts& facts) {
  std::int64_t elements = 0;
  for (const BufferShape& shape : buffer_shapes(space, problem, facts)) elements = std::max(elements, shape.elements());
  return elements;
}

// The patterns for a small shape; none: it is too large.
std::vector<Pattern> patterns_for(const SmallShape& shape, std::int64_t elements, const SmallCases& wanted) {
  if (shape.other == kTunedExtent && elements > kMostElements) return {};
  std::vector<Pattern> patterns{Pattern::random};
  if (!shape.adversarial || elements > kMediumElements) return patterns;
  const auto is_affordable = [&](Pattern pattern) {
    return elements <= kSmallElements || pattern == Pattern::zeros || pattern == Pattern::negative;
  };
  std::ranges::copy_if(wanted.adversarial, std::back_inserter(patterns), is_affordable);
  return patterns;
}

// Log-uniform where the range is positive, so that small epsilons are met as often as large ones.
double draw_scalar(const ScalarArgument& scalar, std::mt19937_64& random) {
  const double unit = std::uniform_real_distribution<double>()(random);
  const double drawn = scalar.minimum > 0
                           ? std::exp(std::lerp(std::log(scalar.minimum), std::log(scalar.maximum), unit))
                           : std::lerp(scalar.minimum, scalar.maximum, unit);
  return std::clamp(is_floating(scalar.type) ? drawn : std::round(drawn), scalar.minimum, scalar.maximum);
}

// Of five cases, one has the default, two the ends of the range, and two a draw from it.
double scalar_of(const ScalarArgument& scalar, std::mt19937_64& random, std::size_t index) {
  const double drawn = draw_scalar(scalar, random);
  switch (index % 5) {
    case 0:
      return scalar.default_value;
    case 1:
      return scalar.minimum;
    case 2:
      return scalar.maximum;
    default:
      return drawn;
  }
}

std::vector<double> draw_scalars(const Space& space, std::uint64_t seed, std::size_t index) {
  std::mt19937_64 random(seed + index);
  std::vector<double> scalars;
  for (const Argument& argument : space.arguments)
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
      scalars.push_back(scalar_of(*scalar, random, index));
  return scalars;
}

std::string describe(const Space& space, const GateCase& gate_case, Pattern pattern) {
  std::string text = to_string(space, gate_case.problem) + " " + to_string(pattern);
  std::size_t index = 0;
  for (const Argument& argument : space.arguments)
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
      text += fmt::format(" {}={:.4g}", scalar->name, gate_case.scalars[index++]);
  return text;
}

// Where no element is finite, every comparison is void, and any kernel that returns NaN would pass.
void require_finite(const Kernel& kernel, const GateCase& made) {
  bool any_output = false;
  for (const OracleOutput& output : made.oracle) {
    if (std::ranges::any_of(output, [](double value) { return std::isfinite(value); })) return;
    any_output = any_output || output.size() > 0;
  }
  if (any_output)
    throw bad_input(
        fmt::format("{}: the oracle has no finite result for {}, so that nothing can be compared; mend the "
                    "oracle, or the domain of the inputs in {}",
                    kernel.reference.name, made.name, kernel.space.file));
}

struct CaseMaker {
  const Kernel& kernel;
  const TargetFacts& facts;
  const Oracle& oracle;
  std::uint64_t seed;
  Pages pages = Pages::none;

  [[nodiscard]] std::vector<BufferLayout> layouts(const Problem& problem, bool padded) const {
    return buffer_layouts(kernel.space, problem, facts, padded, pages);
  }

  [[nodiscard]] GateCase make(const Problem& problem, std::vector<BufferLayout> layouts, Pattern pattern,
                              std::size_t index) const {
    GateCase made;
    made.problem = problem;
    made.scalars = draw_scalars(kernel.space, seed, index);
    made.layouts = std::move(layouts);
    made.images = make_images(made.layouts, pattern, seed + index);
    made.oracle = oracle.outputs(problem, made.layouts, made.images, made.scalars);
    made.name = describe(kernel.space, made, pattern);
    if (pattern == Pattern::random) require_finite(kernel, made);
    return made;
  }
};

// So many rows of the tuned extents that each of two blocks loops several times, also where a block has four rows side
// by side; fewer where a row is longer than such blocks can work on.
void add_looped_case(const CaseMaker& maker, const Problem& tuned, std::vector<GateCase>& cases) {
  constexpr std::int64_t kManyRows = 33, kSomeRows = 9, kBlocks = 2, kElements = 1'000'000;
  const Space& space = maker.kernel.space;
  const auto problem_of = [&](std::int64_t rows) {
    return small_problem(space, tuned, {rows, kTunedExtent, kBlocks, true, false});
  };
  Problem problem = problem_of(kManyRows);
  if (largest_buffer(space, problem, maker.facts) > kElements) problem = problem_of(kSomeRows);
  if (largest_buffer(space, problem, maker.facts) > kMostElements) return;
  GateCase made = maker.make(problem, maker.layouts(problem, true), Pattern::random, cases.size());
  made.grid_limit = kBlocks;
  made.has_tuned_extents = true;
  cases.push_back(std::move(made));
}

// Two rows of the tuned extents, so far apart that an offset in 32 bits overflows.
void add_far_case(const CaseMaker& maker, const Problem& tuned, const SmallCases& wanted,
                  std::vector<GateCase>& cases) {
  const Space& space = maker.kernel.space;
  const Problem problem = small_problem(space, tuned, {2, kTunedExtent, 0, true, false});
  if (wanted.pages != Pages::none || largest_buffer(space, problem, maker.facts) > kMostElements) return;
  GateCase made = maker.make(problem, maker.layouts(problem, true), Pattern::random, cases.size());
  if (!FarBuffers::has_far_rows(made.layouts)) return;
  made.name += ", rows more than 2^31 elements apart";
  made.rows_far_apart = true;
  cases.push_back(std::move(made));
}

}  // namespace

GateCase tuned_case(const Kernel& kernel, const Problem& problem, const TargetFacts& facts, const Oracle& oracle,
                    std::uint64_t seed, std::size_t index) {
  GateCase made = CaseMaker{kernel, facts, oracle, seed}.make(problem, timed_layouts(kernel.space, problem, facts),
                                                              Pattern::random, index);
  made.run_twice = index == 0;
  made.at_tuned_shape = true;
  return made;
}

std::vector<GateCase> small_cases(const Kernel& kernel, const Problem& problem, const TargetFacts& facts,
                                  const Oracle& oracle, std::uint64_t seed, const SmallCases& wanted) {
  const CaseMaker maker{kernel, facts, oracle, seed + kTunedSets, wanted.pages};
  std::vector<GateCase> cases;
  for (const SmallShape& shape : kSmallShapes) {
    const Problem small = small_problem(kernel.space, problem, shape);
    const std::vector<BufferLayout> layouts = maker.layouts(small, shape.padded);
    for (Pattern pattern : patterns_for(shape, largest_buffer(kernel.space, small, facts), wanted)) {
      if (!applies(pattern, layouts)) continue;
      cases.push_back(maker.make(small, layouts, pattern, cases.size()));
      cases.back().grid_limit = shape.grid_limit;
      cases.back().has_tuned_extents = shape.other == kTunedExtent;
    }
  }
  add_looped_case(maker, problem, cases);
  add_far_case(maker, problem, wanted, cases);
  return cases;
}

CaseMemory case_memory(const Space& space, const Problem& problem, const TargetFacts& facts, int sets) {
  const std::vector<BufferLayout> layouts = timed_layouts(space, problem, facts);
  double oracle = 0, outputs = 0;
  for (const BufferLayout& layout : layouts) {
    if (!layout.buffer.has_results()) continue;
    oracle += static_cast<double>(layout.shape.elements()) * sizeof(double);
    outputs += static_cast<double>(layout.bytes);
  }
  const auto images = static_cast<double>(total_bytes(layouts));
  // The device has a case, a working set, and the results of a first run.
  return {sets * (images + oracle), images + oracle + images + outputs};
}

}  // namespace hiptune
