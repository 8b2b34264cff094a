#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/record.hpp"
#include "session/trial.hpp"

namespace hiptune::cli {

// Columns padded to their widest cell: numbers right-aligned, words left-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // A line per row, each with its newline.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] bool is_numeric(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
};

// "12.3 us", "4.56 ms": three significant digits or more.
[[nodiscard]] std::string format_time(double nanoseconds);
// "1.2e-07", "0", "inf".
[[nodiscard]] std::string format_error(double error);
// Whether the relative error says anything: the limit of some element was relative to its oracle.
[[nodiscard]] bool has_relative(const ErrorSummary& errors);
// "largest error 2.3e-07 (0.28 of the limit)", relative to the oracle; "largest absolute error …" where the limit is
// an absolute one.
[[nodiscard]] std::string format_errors(const ErrorSummary& errors);
// How near the variants that passed come to their limits, and to the limit of the kernel's origin where its space has
// one: two lines, or nothing where nothing was compared.
[[nodiscard]] std::string accuracy_of(const std::vector<Trial>& trials, const Tolerance& tolerance);
[[nodiscard]] std::string format_bytes(double bytes);
// "1 variant", "2 variants".
[[nodiscard]] std::string counted(std::size_t count, const std::string& noun);
// The first line of a text, cut to `width`.
[[nodiscard]] std::string first_line(const std::string& text, std::size_t width);

// Characters that the longest configuration takes.
[[nodiscard]] std::size_t config_width(const Space& space);

// Of a failure's text, the line that says most: the first with an error of the compiler or linker, else the first.
[[nodiscard]] std::string headline(const std::string& text, std::size_t width);

// Writes a line to stdout, at once.
void print(const std::string& line);
void print_json(const nlohmann::ordered_json& json);

}  // namespace hiptune::cli
