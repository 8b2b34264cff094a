#include "cache/json_reason.hpp"

#include <algorithm>

#include "problem/utf8.hpp"

namespace hiptune {
namespace {

using nlohmann::json;

constexpr std::size_t kLongest = 300;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void drop_through(std::string& text, const std::string& start, const std::string& end) {
  const auto at = text.starts_with(start) ? text.find(end) : std::string::npos;
  if (at != std::string::npos) text.erase(0, at + end.size());
}

}  // namespace

TextPosition position_of(const json::parse_error& error, const std::string& text) {
  const auto stop = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
  const auto newline = stop > 0 ? text.rfind('\n', stop - 1) : std::string::npos;
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(stop);
  return {1 + static_cast<int>(std::count(text.begin(), before, '\n')),
          newline == std::string::npos ? stop + 1 : stop - newline};
}

std::string json_reason(const json::exception& error, const std::string& text) {
  std::string reason = error.what();
  drop_through(reason, "[json.exception.", "] ");
  drop_through(reason, "parse error", ": ");
  const auto* parse_error = dynamic_cast<const json::parse_error*>(&error);
  if (parse_error == nullptr) return reason;
  return "column " + std::to_string(position_of(*parse_error, text).column) + ": " + reason;
}

std::string one_line(const std::string& text) {
  auto line = valid_utf8(text.substr(0, kLongest + 1));
  std::ranges::replace_if(line, is_control, ' ');
  if (line.size() <= kLongest) return line;
  return std::string(cut(line, kLongest)) + "...";
}

}  // namespace hiptune
