#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/space.hpp"

namespace hiptune {

// Facts of a target that expressions may name, and the limits that geometry must keep.
struct TargetFacts {
  int wave_size = 32;
  std::int64_t lds_bytes = 65536;  // per block
  int compute_units = 1;
  int max_cluster = 1;
  int max_block_threads = 1024;
  std::int64_t max_grid_x = 2147483647;
  std::int64_t max_grid_yz = 65535;
  std::int64_t max_threads_per_launch = 0;  // grid x block; 0: no limit of its own
};

// Dimensions + dtype + traits: what a configuration is tuned for.
struct Problem {
  std::vector<std::int64_t> dimensions;  // in the space's order
  Dtype dtype = Dtype::f32;
  Assignment traits;  // every trait of the space, in order

  friend bool operator==(const Problem&, const Problem&) = default;
};

// "rows=1024 cols=4096 dtype=f32 ALIGN=16": identity and sort key of a problem within a kernel.
[[nodiscard]] std::string to_string(const Space& space, const Problem& problem);

// Why a trait's value is impossible for a dtype, in words: an alignment below the element, a type that is called
// "same". None: it may be.
[[nodiscard]] std::optional<std::string> why_impossible(const Space& space, const Trait& trait, const Value& value,
                                                        Dtype dtype);

// A dtype as the type of a buffer becomes "same" where it is the problem's own. For what users say; make_problem takes
// only what this returns, so that a problem has one name.
[[nodiscard]] Assignment with_same_type(const Space& space, Assignment traits, Dtype dtype);

// "DTYPE.f32", ...: as expressions compare DTYPE with them.
[[nodiscard]] Names dtype_enumerators(const Space& space);

// Checks ranges, dtype and trait values; missing traits take their defaults. Throws Error(bad_input).
[[nodiscard]] Problem make_problem(const Space& space, std::vector<std::int64_t> dimensions, Dtype dtype,
                                   const Assignment& traits);

// All names of a problem on a target, with or without a configuration.
[[nodiscard]] Names names_of(const Space& space, const Problem& problem, const TargetFacts& facts);
[[nodiscard]] Names names_of(const Space& space, const Problem& problem, const TargetFacts& facts,
                             const Assignment& config);

struct BufferShape {
  std::int64_t rows = 1;  // 1 for a one-dimensional buffer
  std::int64_t cols = 0;  // contiguous elements of a row
  Dtype type = Dtype::f32;
  // 0 for an absent buffer.
  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
  // Elements from the first to one past the last, rows `stride` elements apart.
  [[nodiscard]] std::int64_t span(std::int64_t stride) const {
    return cols == 0 || rows == 0 ? 0 : (rows - 1) * stride + cols;
  }
};

// Shapes of the space's buffers, in argument order; of absent ones 0 x 0. Throws Error(bad_input) when an extent is
// negative or its bytes exceed 2^53.
[[nodiscard]] std::vector<BufferShape> buffer_shapes(const Space& space, const Problem& problem,
                                                     const TargetFacts& facts);

struct Work {
  double bytes = 0;
  double flops = 0;
};
[[nodiscard]] Work work_of(const Space& space, const Problem& problem, const TargetFacts& facts);

}  // namespace hiptune
