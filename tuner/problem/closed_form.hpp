#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/expression.hpp"

namespace hiptune {

// A geometry expression with everything but the batch dimensions already known, reduced to integer steps so that a
// launch evaluates it in nanoseconds: no parser, no allocation, no strings, no exceptions. Immutable, thread-safe.
// Beyond constants (any subexpression that mentions no batch dimension, evaluated by Expression) it knows
// ceil_div, min, max, sum and product of batch dimensions.
class ClosedForm {
 public:
  static constexpr std::size_t kMaxDepth = 16;

  explicit ClosedForm(std::int64_t constant = 0);
  // `batch` lists the batch dimensions' names; the k-th is `batch_values[k]` in evaluate. Throws Error(bad_input)
  // when a batch dimension is used outside ceil_div, min, max, sum and product.
  ClosedForm(const Expression& expression, const Names& constants, std::span<const std::string> batch);

  // Saturates at 2^53 instead of overflowing.
  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> batch_values) const noexcept;
  [[nodiscard]] bool is_constant() const;

 private:
  enum class Op : std::uint8_t { constant, batch, ceil_div, min, max, sum, product };
  struct Step {
    Op op;
    std::int64_t operand;  // the constant, or the batch dimension's index
  };
  std::vector<Step> steps_;  // postfix
  friend class ClosedFormParser;
};

}  // namespace hiptune
