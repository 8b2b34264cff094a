#include "cache/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace hiptune {
namespace {

constexpr char kEnd = '\0';

// Longest first. Digraphs are left out: their characters one by one tell sources apart just as well.
constexpr std::array<std::string_view, 27> kPunctuators{"<<=", ">>=", "...", "->*", "<=>", "##", "::", ".*", "->",
                                                        "++",  "--",  "<<",  ">>",  "<=",  ">=", "==", "!=", "&&",
                                                        "||",  "+=",  "-=",  "*=",  "/=",  "%=", "^=", "&=", "|="};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}
bool is_exponent(char c) { return c == 'e' || c == 'E' || c == 'p' || c == 'P'; }

bool is_literal_prefix(std::string_view name) { return name == "L" || name == "u" || name == "U" || name == "u8"; }
bool is_raw_prefix(std::string_view name) {
  return name.ends_with('R') && (name.size() == 1 || is_literal_prefix(name.substr(0, name.size() - 1)));
}

std::string with_unix_lines(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') text += source[i];
    if (source[i] == '\r' && source.substr(i + 1, 1) != "\n") text += '\n';
  }
  return text;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : text_(with_unix_lines(source)) {}

  std::vector<std::string> run() {
    while (skip_white_space()) read_token();
    end_line();
    return std::move(tokens_);
  }

 private:
  // A backslash, blanks (which compilers forgive) and a newline join two lines.
  [[nodiscard]] std::size_t past_splices(std::size_t position) const {
    while (position < text_.size() && text_[position] == '\\') {
      auto end = position + 1;
      while (end < text_.size() && is_blank(text_[end])) ++end;
      if (end >= text_.size() || text_[end] != '\n') break;
      position = end + 1;
    }
    return position;
  }

  // The character `ahead` places on, kEnd past the last.
  [[nodiscard]] char peek(int ahead = 0) const {
    auto position = past_splices(position_);
    for (; ahead > 0 && position < text_.size(); --ahead) position = past_splices(position + 1);
    return position < text_.size() ? text_[position] : kEnd;
  }
  [[nodiscard]] bool at_end() const { return past_splices(position_) >= text_.size(); }
  char take() {
    position_ = past_splices(position_);
    return text_[position_++];
  }

  // False at the end of the text.
  bool skip_white_space() {
    while (!at_end()) {
      if (peek() == '/' && peek(1) == '/') {
        skip_line_comment();
      } else if (peek() == '/' && peek(1) == '*') {
        skip_block_comment();
      } else if (is_blank(peek())) {
        take();
      } else if (peek() == '\n') {
        take();
        end_line();
      } else {
        return true;
      }
    }
    return false;
  }
  void skip_line_comment() {
    while (!at_end() && peek() != '\n') take();
  }
  void skip_block_comment() {
    take();
    take();
    while (!at_end() && !(peek() == '*' && peek(1) == '/')) take();
    for (int i = 0; i < 2 && !at_end(); ++i) take();
  }
  void end_line() {
    if (in_directive_) tokens_.emplace_back("\n");
    in_directive_ = false;
    line_start_ = tokens_.size();
  }

  void read_token() {
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return read_number();
    if (is_name(peek())) return read_name();
    if (peek() == '"' || peek() == '\'') return read_literal("");
    read_punctuator();
  }

  std::string take_name() {
    std::string name;
    while (!at_end() && is_name(peek())) name += take();
    return name;
  }

  void read_number() {
    std::string number;
    while (!at_end()) {
      const bool separator = peek() == '\'' && is_name(peek(1));
      const bool sign = (peek() == '+' || peek() == '-') && !number.empty() && is_exponent(number.back());
      if (!is_name(peek()) && peek() != '.' && !separator && !sign) break;
      number += take();
    }
    tokens_.push_back(std::move(number));
  }

  void read_name() {
    auto name = take_name();
    if (peek() == '"' && is_raw_prefix(name)) return read_raw_string(std::move(name));
    if ((peek() == '"' || peek() == '\'') && is_literal_prefix(name)) return read_literal(std::move(name));
    tokens_.push_back(std::move(name));
    if (names_a_macro() && peek() == '(') tokens_.emplace_back("(…)");
  }
  // The last token is NAME of "#define NAME".
  [[nodiscard]] bool names_a_macro() const {
    return in_directive_ && tokens_.size() == line_start_ + 3 && tokens_[line_start_ + 1] == "define";
  }

  void read_literal(std::string token) {
    const char quote = take();
    token += quote;
    while (!at_end() && peek() != '\n') {
      const char c = take();
      token += c;
      if (c == quote) break;
      if (c == '\\' && !at_end() && peek() != '\n') token += take();
    }
    tokens_.push_back(token + take_name());
  }

  // Neither splices nor escapes mean anything between the delimiters.
  void read_raw_string(std::string token) {
    take();
    const auto open = std::min(text_.find('(', position_), text_.size());
    auto closing = text_.substr(position_, open - position_) + "\"";
    closing.insert(closing.begin(), ')');
    const auto close = text_.find(closing, open);
    const auto end = close == std::string::npos ? text_.size() : close + closing.size();
    token += '"';
    token.append(text_, position_, end - position_);
    position_ = end;
    tokens_.push_back(token + take_name());
  }

  void read_punctuator() {
    const std::string ahead{peek(), peek(1), peek(2)};
    const auto longest = std::find_if(kPunctuators.begin(), kPunctuators.end(),
                                      [&](std::string_view candidate) { return ahead.starts_with(candidate); });
    const auto length = longest == kPunctuators.end() ? 1 : longest->size();
    std::string token;
    while (token.size() < length) token += take();
    if (token == "#" && tokens_.size() == line_start_) in_directive_ = true;
    tokens_.push_back(std::move(token));
  }

  std::string text_;
  std::size_t position_ = 0;
  std::vector<std::string> tokens_;
  std::size_t line_start_ = 0;  // how many tokens there were when the line began
  bool in_directive_ = false;
};

}  // namespace

std::vector<std::string> preprocessor_tokens(std::string_view source) { return Tokenizer(source).run(); }

}  // namespace hiptune
