#include "problem/expression.hpp"

#include <muParser.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <mutex>

#include "hiptune/error.hpp"
#include "problem/bound_expression.hpp"
#include "problem/expression_syntax.hpp"
#include "problem/nearest.hpp"
#include "problem/tokens.hpp"

namespace hiptune {

namespace {

constexpr double kLargestInteger = 9007199254740992.0;  // 2^53: beyond it a double skips integers

constexpr const char* kNotFinite =
    "a value in it is not a finite number, as of a division by zero; where it is not needed, leave it out with a ?: "
    "(both sides of && and || are evaluated)";

// Thrown for values that an operation does not take. A type of its own, because muParser's errors mean wrong syntax.
struct WrongOperand {
  std::string what;
};

std::int64_t exact_integer(double value, const char* function) {
  if (value == std::floor(value) && std::fabs(value) <= kLargestInteger) return static_cast<std::int64_t>(value);
  throw WrongOperand{std::string(function) + " takes integers of at most 2^53, not " + std::to_string(value)};
}

std::int64_t positive_divisor(double value, const char* function) {
  const std::int64_t divisor = exact_integer(value, function);
  if (divisor >= 1) return divisor;
  throw WrongOperand{std::string(function) + " by " + std::to_string(divisor) + ": the divisor must be at least 1"};
}

double ceil_div(double a, double b) {
  const std::int64_t dividend = exact_integer(a, "ceil_div");
  const std::int64_t divisor = positive_divisor(b, "ceil_div");
  const std::int64_t quotient = dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
  return static_cast<double>(quotient);
}

// The remainder that is not negative.
double mod(double a, double b) {
  const std::int64_t divisor = positive_divisor(b, "mod");
  const std::int64_t remainder = exact_integer(a, "mod") % divisor;
  return static_cast<double>(remainder < 0 ? remainder + divisor : remainder);
}

double is_pow2(double a) {
  const std::int64_t value = exact_integer(a, "is_pow2");
  return value > 0 && (value & (value - 1)) == 0 ? 1 : 0;
}

double logical_not(double a) { return a == 0 ? 1 : 0; }

// What the processor says of a computation, whose own environment is kept. Needed because a comparison hides an
// infinity: cols / 0 > 3 is simply true.
class FloatingPointFlags {
 public:
  FloatingPointFlags() { std::feholdexcept(&saved_); }
  ~FloatingPointFlags() { std::fesetenv(&saved_); }
  FloatingPointFlags(const FloatingPointFlags&) = delete;
  FloatingPointFlags& operator=(const FloatingPointFlags&) = delete;
  [[nodiscard]] static bool all_finite() { return std::fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) == 0; }

 private:
  std::fenv_t saved_{};
};

mu::Parser parser_with_functions() {
  mu::Parser parser;
  parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  parser.DefineFun("ceil_div", ceil_div, false);
  parser.DefineFun("mod", mod, false);
  parser.DefineFun("is_pow2", is_pow2, false);
  parser.DefineFun("not", logical_not, false);
  return parser;
}

Error wrong(const Expression& expression, const std::string& what) {
  return bad_input(expression.where() + ": " + what);
}

std::string describe(const mu::ParserError& error) {
  std::string message = error.GetMsg();
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  return excerpt(message);
}

// What muParser would accept but a space's expression may not hold.
void reject_foreign_symbols(const Expression& expression) {
  static constexpr std::string_view kSymbols[] = {"+", "-",  "*",  "/", "^", "(",  ")",  "<",  ">",
                                                  ",", "==", "!=", "?", ":", "<=", ">=", "&&", "||"};
  for (const Token& token : tokenize(expression.text())) {
    if (token.kind != Token::Kind::symbol || std::ranges::count(kSymbols, token.text) > 0) continue;
    const bool assigns = token.text == "=";
    throw wrong(expression, assigns ? "an expression cannot assign; compare with =="
                                    : "unknown symbol '" + excerpt(token.text) + "'");
  }
}

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : map) keys.push_back(name);
  return keys;
}

void reject_unknown_functions(const mu::Parser& parser, const Expression& expression) {
  const std::vector<Token> tokens = tokenize(expression.text());
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::identifier || tokens[i + 1].text != "(") continue;
    const std::string name(tokens[i].text);
    if (parser.GetFunDef().contains(name)) continue;
    const std::vector<std::string> known = keys_of(parser.GetFunDef());
    throw wrong(expression, "unknown function \"" + excerpt(name) + "\"" + did_you_mean(name, known));
  }
}

double evaluate_once(mu::Parser& parser, const Expression& expression) {
  const FloatingPointFlags flags;
  const double value = parser.Eval();
  if (parser.GetNumResults() != 1) throw wrong(expression, "a comma outside of a function's arguments");
  if (!flags.all_finite()) throw WrongOperand{kNotFinite};
  return value;
}

// `define` gives the parser the expression's names.
template <typename Define>
void set_up(mu::Parser& parser, const Expression& expression, const Define& define) {
  try {
    reject_foreign_symbols(expression);
    reject_unknown_functions(parser, expression);
    define();
    // Never optimised: muParser would call a function with constant arguments, or divide constants, while it parses,
    // and so also in the branch of a ?: that is not taken. Here, because copies of a parser forget it.
    parser.EnableOptimizer(false);
    parser.SetExpr(expression.text());
  } catch (const mu::ParserError& error) {
    throw wrong(expression, describe(error));
  }
}

// What a parsed expression is for the values that its variables have now.
double run(mu::Parser& parser, const Expression& expression) {
  try {
    return evaluate_once(parser, expression);
  } catch (const mu::ParserError& error) {
    throw wrong(expression, describe(error));
  }
}

}  // namespace

std::string unknown_name(const std::string& name, const std::vector<std::string>& known) {
  return "unknown name \"" + excerpt(name) + "\"" + did_you_mean(name, known) + "; the names known here are " +
         join(known);
}

std::vector<std::string> function_names() {
  const mu::Parser parser = parser_with_functions();
  return keys_of(parser.GetFunDef());
}

// A parser takes much longer to make than to run. Names are variables to it, though none that a text could assign to.
struct Expression::Parsed {
  std::mutex mutex;
  std::unique_ptr<mu::Parser> parser;  // made with the first evaluation
  std::vector<std::string> names;
  std::vector<double> values;  // of the names, where the parser finds them

  double evaluate(const Expression& expression, const Names& given) {
    const std::lock_guard lock(mutex);
    parser ? take_values(expression, given) : make_parser(expression, given);
    return run(*parser, expression);
  }

 private:
  void make_parser(const Expression& expression, const Names& given) {
    auto made = std::make_unique<mu::Parser>(parser_with_functions());
    names = expression.names_used();
    values.resize(names.size());
    set_up(*made, expression, [&] {
      take_values(expression, given);
      for (std::size_t i = 0; i < names.size(); ++i) made->DefineVar(names[i], &values[i]);
    });
    parser = std::move(made);
  }

  void take_values(const Expression& expression, const Names& given) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = given.find(names[i]);
      if (found == given.end()) throw wrong(expression, unknown_name(names[i], keys_of(given)));
      values[i] = found->second;
    }
  }
};

// With any values; that these may be wrong for it says nothing.
void check_syntax(const Expression& expression, const std::vector<std::string>& known) {
  Names ones;
  for (const std::string& name : known) ones[name] = 1;
  (void)BoundExpression(expression, ones, {}).evaluate();
}

std::string Place::text() const { return file + ": " + (pointer.empty() ? "/" : excerpt(pointer)); }

std::string Expression::where() const { return place_.text() + ": \"" + excerpt(text_) + "\""; }

Expression::Expression(std::string text, Place place)
    : text_(std::move(text)), place_(std::move(place)), parsed_(std::make_shared<Parsed>()) {}

double Expression::evaluate(const Names& names) const {
  try {
    const double value = parsed_->evaluate(*this, names);
    if (std::isfinite(value)) return value;
    throw wrong(*this, kNotFinite);
  } catch (const WrongOperand& operand) {
    throw wrong(*this, operand.what);
  }
}

std::int64_t Expression::evaluate_integer(const Names& names) const {
  const double value = evaluate(names);
  if (value != std::floor(value)) throw wrong(*this, "the result, " + std::to_string(value) + ", is not an integer");
  if (std::fabs(value) > kLargestInteger) throw wrong(*this, "the result is beyond 2^53");
  return static_cast<std::int64_t>(value);
}

bool Expression::evaluate_bool(const Names& names) const { return evaluate(names) != 0; }

std::vector<std::string> Expression::names_used() const {
  std::vector<std::string> names;
  const std::vector<Token> tokens = tokenize(text_);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool called = i + 1 < tokens.size() && tokens[i + 1].text == "(";
    if (tokens[i].kind != Token::Kind::identifier || called) continue;
    const std::string name(tokens[i].text);
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

bool Expression::mentions(const std::string& name) const {
  const std::vector<std::string> used = names_used();
  return std::ranges::count(used, name) > 0;
}

struct BoundExpression::Parsed {
  Expression expression;
  mu::Parser parser = parser_with_functions();
};

BoundExpression::BoundExpression(const Expression& expression, const Names& constants, const Variables& variables)
    : parsed_(std::make_unique<Parsed>(Parsed{expression})) {
  mu::Parser& parser = parsed_->parser;
  set_up(parser, expression, [&] {
    for (const std::string& name : expression.names_used()) {
      const auto variable = variables.find(name);
      const auto constant = constants.find(name);
      if (variable != variables.end())
        parser.DefineVar(name, variable->second);
      else if (constant != constants.end())
        parser.DefineConst(name, constant->second);
      else
        throw wrong(expression, unknown_name(name, keys_of(constants)));
    }
  });
}

BoundExpression::BoundExpression(BoundExpression&&) noexcept = default;
BoundExpression& BoundExpression::operator=(BoundExpression&&) noexcept = default;
BoundExpression::~BoundExpression() = default;

std::optional<double> BoundExpression::evaluate() {
  try {
    const double value = run(parsed_->parser, parsed_->expression);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const WrongOperand&) {
    return std::nullopt;
  }
}

}  // namespace hiptune
