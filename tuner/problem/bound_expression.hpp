#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "problem/expression.hpp"

namespace hiptune {

// An expression that is parsed once and evaluated for many values of some of its names. Means what Expression means.
// For one thread.
class BoundExpression {
 public:
  // Where the values of names are found at each evaluation.
  using Variables = std::map<std::string, double*>;

  // What is in `variables` hides a constant. The values that `variables` points to must outlive it. Throws
  // Error(bad_input) for what Expression would call wrong whatever the values are.
  BoundExpression(const Expression& expression, const Names& constants, const Variables& variables);
  BoundExpression(BoundExpression&&) noexcept;
  BoundExpression& operator=(BoundExpression&&) noexcept;
  ~BoundExpression();

  // None where it cannot be evaluated for these values, as where it divides by zero.
  [[nodiscard]] std::optional<double> evaluate();

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace hiptune
