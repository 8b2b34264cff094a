#include "problem/enumeration.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "problem/bound_expression.hpp"
#include "problem/named_values.hpp"

namespace hiptune {
namespace {

constexpr std::size_t kMostValid = 2'000'000;   // they are held in memory
constexpr std::size_t kMostSteps = 10'000'000;  // some seconds

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return a != 0 && b > kMost / a ? kMost : a * b;
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return b > kMost - a ? kMost : a + b;
}

const std::vector<Value>& choices(const Tunable& tunable, const Restriction& restriction) {
  for (const auto& [name, values] : restriction)
    if (name == tunable.name) return values;
  return tunable.values;
}

// A constraint that can be told as soon as its last tunable has a value.
struct BoundConstraint {
  BoundExpression expression;
  const Constraint* declared;
};

class Enumerator {
 public:
  Enumerator(const Space& space, const Problem& problem, const TargetFacts& facts, const Restriction& restriction)
      : space_(space), problem_(problem), facts_(facts) {
    for (const Tunable& tunable : space.tunables) {
      choices_.push_back(&choices(tunable, restriction));
      config_.emplace_back(tunable.name, Value());
    }
    numbers_.resize(space.tunables.size());
    chosen_.resize(space.tunables.size());
    combinations_below_.assign(space.tunables.size() + 1, 1);
    for (std::size_t i = space.tunables.size(); i-- > 0;)
      combinations_below_[i] = saturating_product(combinations_below_[i + 1], choices_[i]->size());
    bind_constraints();
  }

  Enumeration run() {
    assign_from(0);
    if (found_.invalid.count > 0) found_.invalid.example = to_string(example()) + ": " + example_reason_;
    return std::move(found_);
  }

 private:
  void bind_constraints() {
    Names constants = names_of(space_, problem_, facts_);
    BoundExpression::Variables variables;
    for (std::size_t i = 0; i < space_.tunables.size(); ++i) {
      constants.merge(enumerators_of(space_.tunables[i]));
      variables[space_.tunables[i].name] = &numbers_[i];
    }
    decided_at_.resize(space_.tunables.size());
    for (const Constraint& constraint : space_.constraints) {
      const std::size_t level = level_of(constraint.expression);
      decided_at_[level].push_back({BoundExpression(constraint.expression, constants, variables), &constraint});
    }
  }

  // Of the last tunable that an expression mentions.
  [[nodiscard]] std::size_t level_of(const Expression& expression) const {
    std::size_t level = 0;
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      if (expression.mentions(space_.tunables[i].name)) level = i;
    return level;
  }

  void assign_from(std::size_t level) {
    if (level == space_.tunables.size()) return take();
    for (std::size_t i = 0; i < choices_[level]->size(); ++i) {
      require_bearable();
      const Value& value = (*choices_[level])[i];
      chosen_[level] = i;
      config_[level].second = value;
      numbers_[level] = number_of(space_.tunables[level], value);
      if (const Constraint* broken = broken_at(level))
        leave_out(combinations_below_[level + 1], level + 1, broken->reason);
      else
        assign_from(level + 1);
    }
  }

  // A constraint that cannot be told says nothing here: one declared before it may, further down, be what keeps it from
  // being asked.
  [[nodiscard]] const Constraint* broken_at(std::size_t level) {
    for (BoundConstraint& constraint : decided_at_[level])
      if (constraint.expression.evaluate() == 0.0) return constraint.declared;
    return nullptr;
  }

  void take() {
    if (const auto why = why_invalid(space_, problem_, facts_, config_)) return leave_out(1, config_.size(), *why);
    found_.valid.push_back(config_);
  }

  void leave_out(std::uint64_t count, std::size_t assigned, const std::string& reason) {
    found_.invalid.count = saturating_sum(found_.invalid.count, count);
    if (assigned <= example_.size()) return;
    example_.assign(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(assigned));
    example_reason_ = reason;
  }

  [[nodiscard]] Assignment example() const {
    Assignment values;
    for (std::size_t i = 0; i < example_.size(); ++i)
      values.emplace_back(space_.tunables[i].name, (*choices_[i])[example_[i]]);
    return values;
  }

  void require_bearable() {
    if (++steps_ <= kMostSteps && found_.valid.size() <= kMostValid) return;
    throw bad_input(space_.file +
                    ": /tunables: more than the two million configurations that can be listed, or too many to go "
                    "through; hold some tunables with --fix, give them fewer values, or constrain those listed first");
  }

  const Space& space_;
  const Problem& problem_;
  const TargetFacts& facts_;
  std::vector<const std::vector<Value>*> choices_;        // of each tunable
  std::vector<std::uint64_t> combinations_below_;         // of the tunables from one on
  std::vector<std::vector<BoundConstraint>> decided_at_;  // by tunable
  std::vector<double> numbers_;                           // what the tunables are in an expression
  Config config_;
  std::vector<std::size_t> chosen_;   // indices into the choices
  std::vector<std::size_t> example_;  // likewise, of the first invalid one of those that came furthest
  std::string example_reason_;
  std::size_t steps_ = 0;
  Enumeration found_;
};

}  // namespace

Enumeration valid_configs(const Space& space, const Problem& problem, const TargetFacts& facts,
                          const Restriction& restriction) {
  Enumeration found = Enumerator(space, problem, facts, restriction).run();
  if (!found.valid.empty()) return found;
  throw bad_input(space.file + ": no valid configuration for " + to_string(space, problem) +
                  (restriction.empty() ? "" : " with " + to_string(restriction)) +
                  "; the first that came furthest: " + found.invalid.example);
}

}  // namespace hiptune
