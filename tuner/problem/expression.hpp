#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hiptune {

// What names stand for while an expression is evaluated: dimensions, tunables, traits, facts of the target,
// and enumerators ("REDUCTION.lds_tree" is the index of that value; "REDUCTION" is the index of the chosen one).
using Names = std::map<std::string, double>;

// Where a text came from, for messages: "search_spaces/rmsnorm.json: /constraints/0".
struct Place {
  std::string file;
  std::string pointer;
  [[nodiscard]] std::string text() const;  // a long pointer is cut
};

// muParser's syntax plus ceil_div(a,b), mod(a,b), is_pow2(a), not(a). All names are constants, so "rows=5" is an
// error and not an assignment; so is a top-level comma, and so is a value within it that is not finite, as
// of a division by zero, unless a ?: leaves it out. Immutable and safe to share between threads. Parsed once, for all
// copies, which evaluate one after another. Every evaluation throws Error(bad_input) naming the place, the text and
// what is wrong.
class Expression {
 public:
  Expression() : Expression("0", {}) {}
  Expression(std::string text, Place place);

  [[nodiscard]] double evaluate(const Names& names) const;
  // An integer in [-2^53, 2^53]; anything else is an error.
  [[nodiscard]] std::int64_t evaluate_integer(const Names& names) const;
  [[nodiscard]] bool evaluate_bool(const Names& names) const;

  // Identifiers used, functions excluded, each once, in order of appearance.
  [[nodiscard]] std::vector<std::string> names_used() const;
  [[nodiscard]] bool mentions(const std::string& name) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Place& place() const { return place_; }
  // How a message about it begins: the place and the quoted text, which is cut where it is long.
  [[nodiscard]] std::string where() const;

 private:
  struct Parsed;
  std::string text_;
  Place place_;
  std::shared_ptr<Parsed> parsed_;
};

}  // namespace hiptune
