#pragma once

#include <optional>
#include <string>

namespace hiptune::test {

// A planted fault: a place in a template's text and what it is replaced by. The text must hold no line break, so that
// the mutant's lines are the template's.
struct Mutation {
  std::string name;
  std::string pattern;
  std::string replacement;
  std::optional<int> occurrence{};  // from 1; none: the pattern stands in the template once
  std::string caught_by{};          // what the gate's report says; empty: any failure will do
  // A race, a divergence, or a read of what nobody wrote: a GPU may get it right by chance, or fault and be lost.
  bool only_on_host = false;
  bool needs_far_rows = false;  // shows with rows 2^31 elements apart alone, which not every device has room for
  std::string setting{};        // the configuration and problem in which it shows
  bool needs_precheck = false;  // results are right: what the CPU watches must tell
};

// Throws std::invalid_argument when the template has changed so that the mutation does not fit it any more.
[[nodiscard]] std::string mutate(const std::string& text, const Mutation& mutation);

[[nodiscard]] int count_of(const std::string& pattern, const std::string& text);

}  // namespace hiptune::test
