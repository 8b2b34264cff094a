#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hiptune {

// A piece of an expression. `identifier` includes enumerators such as REDUCTION.serial.
struct Token {
  enum class Kind { identifier, number, symbol };
  Kind kind;
  std::string_view text;  // into the expression's text
};

// Splits an expression. A character that no expression may hold becomes a symbol of its own.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

// The tokens in [first, first + count) as they stand in the expression.
[[nodiscard]] std::string text_of(const std::vector<Token>& tokens, std::size_t first, std::size_t count);

}  // namespace hiptune
