#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/config.hpp"
#include "problem/kernel.hpp"
#include "problem/problem.hpp"

// Configurations of RMSNorm that between them use every path of its template that a CPU can run, each with a problem at
// which it does: a ragged end, a tail, and more than one vector for a thread where it keeps several.
namespace hiptune::test {

struct Setting {
  std::string name;
  Dtype dtype;
  std::int64_t cols;
  Assignment traits;  // others take their defaults
  Assignment config;  // others are the fallback's
  bool for_any_width = false;
  std::int64_t rows = 3;

  [[nodiscard]] Problem problem(const Space& space) const;
  [[nodiscard]] Problem problem_of(const Space& space, std::int64_t row_count, std::int64_t columns) const;
  [[nodiscard]] Config full_config(const Space& space) const;
};

[[nodiscard]] const std::vector<Setting>& rmsnorm_settings();
// Throws std::invalid_argument for a name that there is not.
[[nodiscard]] const Setting& setting_named(const std::string& name);

}  // namespace hiptune::test
