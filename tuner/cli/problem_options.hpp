#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "problem/problem.hpp"

namespace hiptune::cli {

// "1024", "1,8,64" or the doubling range "1..1024" (its end included even where doubling skips it). Throws
// Error(bad_input) naming the option.
[[nodiscard]] std::vector<std::int64_t> parse_dimension(const std::string& option, const std::string& text);

// --rows, --cols, … as the kernel's space declares them, --dtype and --trait.
class ProblemOptions {
 public:
  void add_to(CLI::App& command, const Space& space);

  // Every combination, in the order given; a dtype as the type of a buffer is "same" where it is the problem's own.
  // Throws Error(bad_input): a dimension is missing or wrong.
  [[nodiscard]] std::vector<Problem> problems(const Space& space) const;
  // Throws Error(bad_input) where something that was given is wrong; all of it may be missing.
  void require_well_formed(const Space& space) const;
  // "--rows 1024 --cols 4096 --trait W=none": what was given, an example for a dimension that was not.
  [[nodiscard]] std::string words(const Space& space) const;
  // Whether a problem agrees with all that was given; what was not given matches everything.
  [[nodiscard]] bool matches(const Space& space, const std::vector<std::int64_t>& dimensions, Dtype dtype,
                             const Assignment& traits) const;

 private:
  [[nodiscard]] std::vector<Dtype> dtypes(const Space& space) const;
  // Every combination of the values given, each once.
  [[nodiscard]] std::vector<Assignment> given_traits(const Space& space) const;
  [[nodiscard]] std::vector<Assignment> traits_for(const Space& space, Dtype dtype) const;

  std::map<std::string, std::string> dimensions_;
  std::string dtypes_;
  std::vector<std::string> traits_;
};

}  // namespace hiptune::cli
