#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hiptune {

// Where in `text` a parser stopped, both counted from 1, columns in bytes.
struct TextPosition {
  int line = 1;
  std::size_t column = 1;
};
[[nodiscard]] TextPosition position_of(const nlohmann::json::parse_error& error, const std::string& text);

// Why `text` is no JSON: "column 7: syntax error while ...". The parser's own line number and tag are left out: whoever
// reports the reason names the line of the file.
[[nodiscard]] std::string json_reason(const nlohmann::json::exception& error, const std::string& text);

// On one line, valid UTF-8, without control characters, and short enough to read: a message may quote any bytes of the
// file it is about, and a file may be one long line.
[[nodiscard]] std::string one_line(const std::string& text);

}  // namespace hiptune
