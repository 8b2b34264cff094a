#include "problem/closed_form.hpp"

#include <algorithm>
#include <optional>

#include "hiptune/error.hpp"
#include "problem/expression_syntax.hpp"
#include "problem/tokens.hpp"

namespace hiptune {

namespace {

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

std::int64_t saturating_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kLargestInteger : -kLargestInteger;
  return std::clamp(product, -kLargestInteger, kLargestInteger);
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) noexcept {
  return std::clamp(a + b, -kLargestInteger, kLargestInteger);  // both are within the limits, so that nothing overflows
}

// Rounds up. A divisor below 1 gives 0 blocks, which no launch accepts, as a launch must not throw.
std::int64_t divide_up(std::int64_t dividend, std::int64_t divisor) noexcept {
  if (divisor < 1) return 0;
  return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
}

}  // namespace

// Recursive descent over the tokens of one expression, emitting postfix steps.
class ClosedFormParser {
 public:
  // Without `constants` it only checks the form, and every constant is 1.
  ClosedFormParser(const Expression& expression, const Names* constants, std::span<const std::string> batch)
      : expression_(expression), constants_(constants), batch_(batch), tokens_(tokenize(expression.text())) {}

  std::vector<ClosedForm::Step> parse() {
    parse({0, tokens_.size()});
    return std::move(steps_);
  }

 private:
  using Op = ClosedForm::Op;
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  void parse(Range range) {
    if (!mentions_batch(range)) return emit_constant(range);
    if (range.end - range.begin == 1) return emit(Op::batch, *batch_index(range.begin));
    if (has_only(range, "+", "*")) return parse_list(split(range, "+"), Op::sum);
    if (has_only(range, "*", "*")) return parse_list(split(range, "*"), Op::product);
    if (closes_at_end(range, range.begin)) return parse({range.begin + 1, range.end - 1});
    parse_call(range);
  }

  void parse_call(Range range) {
    const std::string_view name = tokens_[range.begin].text;
    if (range.end - range.begin < 4 || !closes_at_end(range, range.begin + 1)) fail();
    const std::vector<Range> arguments = split({range.begin + 2, range.end - 1}, ",");
    if (name == "min") return parse_list(arguments, Op::min);
    if (name == "max") return parse_list(arguments, Op::max);
    if (name != "ceil_div" || arguments.size() != 2) fail();
    parse_list(arguments, Op::ceil_div);
    require_positive_divisor();
  }

  // The operator folds from the left, so that a long list needs a stack of two.
  void parse_list(const std::vector<Range>& operands, Op op) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].begin == operands[i].end) fail();
      parse(operands[i]);
      if (i > 0) emit(op, 0);
    }
  }

  void emit_constant(Range range) {
    if (constants_ == nullptr) return emit(Op::constant, 1);
    const std::string text = text_of(tokens_, range.begin, range.end - range.begin);
    emit(Op::constant, Expression(text, expression_.place()).evaluate_integer(*constants_));
  }

  void emit(Op op, std::int64_t operand) {
    steps_.push_back({op, operand});
    depth_ += op == Op::constant || op == Op::batch ? 1 : -1;
    if (depth_ > static_cast<int>(ClosedForm::kMaxDepth)) {
      throw bad_input(expression_.where() + " is nested too deeply");
    }
  }

  void require_positive_divisor() const {
    const ClosedForm::Step& divisor = steps_[steps_.size() - 2];
    if (divisor.op != Op::constant || divisor.operand >= 1) return;
    throw bad_input(expression_.where() + ": ceil_div by " + std::to_string(divisor.operand) +
                    ": the divisor must be at least 1");
  }

  std::optional<std::int64_t> batch_index(std::size_t token) const {
    const auto found = std::ranges::find(batch_, tokens_[token].text);
    if (found == batch_.end()) return std::nullopt;
    return found - batch_.begin();
  }

  bool mentions_batch(Range range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (batch_index(i)) return true;
    }
    return false;
  }

  // Whether the parenthesis at `open` is one and closes with the range's last token.
  bool closes_at_end(Range range, std::size_t open) const {
    if (tokens_[open].text != "(") return false;
    int depth = 0;
    for (std::size_t i = open; i < range.end; ++i) {
      depth += nesting(i);
      if (depth == 0) return i + 1 == range.end;
    }
    return false;
  }

  // Whether the range has the operator `wanted` outside of parentheses, and beside it none but `allowed`.
  bool has_only(Range range, std::string_view wanted, std::string_view allowed) const {
    int depth = 0;
    bool found = false;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      depth += nesting(i);
      if (depth > 0 || tokens_[i].kind != Token::Kind::symbol || tokens_[i].text == ")") continue;
      if (tokens_[i].text != wanted && tokens_[i].text != allowed) return false;
      found = found || tokens_[i].text == wanted;
    }
    return found;
  }

  std::vector<Range> split(Range range, std::string_view separator) const {
    std::vector<Range> parts{{range.begin, range.begin}};
    int depth = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      depth += nesting(i);
      const bool separates = depth == 0 && tokens_[i].text == separator;
      if (separates) parts.push_back({i + 1, i + 1});
      if (!separates) parts.back().end = i + 1;
    }
    return parts;
  }

  int nesting(std::size_t token) const { return tokens_[token].text == "(" ? 1 : tokens_[token].text == ")" ? -1 : 0; }

  [[noreturn]] void fail() const {
    throw bad_input(expression_.where() + ": it is evaluated at every call, so that where it mentions " +
                    batch_.front() +
                    " it may only use ceil_div, min, max, "
                    "sums and products");
  }

  const Expression& expression_;
  const Names* constants_;
  std::span<const std::string> batch_;
  std::vector<Token> tokens_;
  std::vector<ClosedForm::Step> steps_;
  int depth_ = 0;
};

ClosedForm::ClosedForm(std::int64_t constant) : steps_{{Op::constant, constant}} {}

ClosedForm::ClosedForm(const Expression& expression, const Names& constants, std::span<const std::string> batch)
    : steps_(ClosedFormParser(expression, &constants, batch).parse()) {}

void check_closed_form(const Expression& expression, std::span<const std::string> batch) {
  ClosedFormParser(expression, nullptr, batch).parse();
}

std::int64_t ClosedForm::evaluate(std::span<const std::int64_t> batch_values) const noexcept {
  std::array<std::int64_t, kMaxDepth> stack;
  std::size_t size = 0;
  const auto apply = [&](auto&& function) {
    --size;
    stack[size - 1] = function(stack[size - 1], stack[size]);
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::constant:
        stack[size++] = step.operand;
        break;
      case Op::batch:
        stack[size++] = batch_values[static_cast<std::size_t>(step.operand)];
        break;
      case Op::ceil_div:
        apply(divide_up);
        break;
      case Op::min:
        apply([](std::int64_t a, std::int64_t b) { return std::min(a, b); });
        break;
      case Op::max:
        apply([](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        break;
      case Op::sum:
        apply(saturating_sum);
        break;
      case Op::product:
        apply(saturating_product);
        break;
    }
  }
  return stack[0];
}

bool ClosedForm::is_constant() const {
  return std::ranges::none_of(steps_, [](const Step& step) { return step.op == Op::batch; });
}

}  // namespace hiptune
