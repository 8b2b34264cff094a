#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iostream>
#include <sstream>

#include <spdlog/fmt/fmt.h>

namespace hiptune::cli {

bool Table::is_numeric(std::size_t column) const {
  return rows_.size() > 1 && std::all_of(rows_.begin() + 1, rows_.end(), [&](const auto& row) {
           return column >= row.size() || row[column] == "-" ||
                  std::isdigit(static_cast<unsigned char>(row[column][0]));
         });
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += is_numeric(i) ? fmt::format("{:>{}}  ", row[i], widths[i]) : fmt::format("{:<{}}  ", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string format_time(double nanoseconds) {
  struct Unit {
    double scale;
    const char* name;
  };
  constexpr std::array<Unit, 3> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const Unit& unit : units)
    if (nanoseconds >= unit.scale) return fmt::format("{:.4g} {}", nanoseconds / unit.scale, unit.name);
  return fmt::format("{:.4g} ns", nanoseconds);
}

std::string format_error(double error) { return error == 0 ? "0" : fmt::format("{:.2g}", error); }

bool has_relative(const ErrorSummary& errors) { return errors.relative > 0 || errors.absolute == 0; }

std::string format_errors(const ErrorSummary& errors) {
  return fmt::format("largest {}error {} ({:.2f} of the limit)", has_relative(errors) ? "" : "absolute ",
                     format_error(has_relative(errors) ? errors.relative : errors.absolute), errors.in_limits);
}

std::string accuracy_of(const std::vector<Trial>& trials, const Tolerance& tolerance) {
  const Trial *worst = nullptr, *largest = nullptr;
  std::size_t beyond = 0, compared = 0;
  for (const Trial& trial : trials) {
    if (!trial.is_good() || trial.checks == 0) continue;
    ++compared;
    beyond += tolerance.origin && trial.errors.at_shape > *tolerance.origin;
    if (worst == nullptr || trial.errors.in_limits > worst->errors.in_limits) worst = &trial;
    if (largest == nullptr || trial.errors.at_shape > largest->errors.at_shape) largest = &trial;
  }
  if (worst == nullptr) return "";
  std::string text =
      fmt::format("closest to its limit: {}, {:.2f} of it", to_string(worst->config), worst->errors.in_limits);
  if (!worst->errors.worst.empty()) text += " at " + worst->errors.worst;
  text += fmt::format("\nlargest absolute error on random inputs at the shape: {} ({})",
                      format_error(largest->errors.at_shape), to_string(largest->config));
  if (!tolerance.origin) return text;
  return text + (beyond == 0 ? "; all within " : fmt::format("; {} of {} beyond ", beyond, compared)) +
         fmt::format("the origin's {:g}", *tolerance.origin);
}

std::string format_bytes(double bytes) {
  if (bytes >= 1e12) return fmt::format("{:.4g} TB", bytes / 1e12);
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes >= 1e3 ? fmt::format("{:.3g} kB", bytes / 1e3) : fmt::format("{:g} B", bytes);
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string first_line(const std::string& text, std::size_t width) {
  std::string line = text.substr(0, text.find('\n'));
  return line.size() <= width ? line : line.substr(0, width - 3) + "...";
}

std::size_t config_width(const Space& space) {
  std::size_t width = 0;
  for (const Tunable& tunable : space.tunables) {
    std::size_t longest = 0;
    for (const Value& value : tunable.values) longest = std::max(longest, to_string(value).size());
    width += tunable.name.size() + 1 + longest + 1;
  }
  return width;
}

std::string headline(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error:") != std::string::npos || line.find("undefined reference") != std::string::npos)
      return first_line(line, width);
  return first_line(text, width);
}

void print(const std::string& line) { std::cout << line << '\n' << std::flush; }

// Compilers and paths may hold bytes that are no UTF-8.
void print_json(const nlohmann::ordered_json& json) {
  print(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace hiptune::cli
