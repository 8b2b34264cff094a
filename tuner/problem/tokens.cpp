#include "problem/tokens.hpp"

#include "problem/utf8.hpp"

namespace hiptune {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t identifier_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]) || text[length] == '.')) ++length;
  return length;
}

// Digits, a point, and an exponent such as e-5.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
  if (length >= text.size() || (text[length] != 'e' && text[length] != 'E')) return length;
  std::size_t end = length + 1;
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
  const std::size_t digits = end;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > digits ? end : length;
}

std::size_t symbol_length(std::string_view text) {
  for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
    if (text.substr(0, 2) == two) return 2;
  }
  std::size_t length = 1;
  while (length < text.size() && continues_character(text[length])) ++length;
  return length;
}

Token next_token(std::string_view text) {
  if (is_letter(text[0])) return {Token::Kind::identifier, text.substr(0, identifier_length(text))};
  const bool point = text[0] == '.' && text.size() > 1 && is_digit(text[1]);
  if (is_digit(text[0]) || point) return {Token::Kind::number, text.substr(0, number_length(text))};
  return {Token::Kind::symbol, text.substr(0, symbol_length(text))};
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    if (is_space(text[0])) {
      text.remove_prefix(1);
      continue;
    }
    tokens.push_back(next_token(text));
    text.remove_prefix(tokens.back().text.size());
  }
  return tokens;
}

std::string text_of(const std::vector<Token>& tokens, std::size_t first, std::size_t count) {
  if (count == 0) return "";
  const std::string_view front = tokens[first].text;
  const std::string_view back = tokens[first + count - 1].text;
  return {front.data(), back.data() + back.size()};
}

}  // namespace hiptune
