#include "nvidia/ptxas_report.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

// The form, as of CUDA 12 and 13:
//   ptxas info    : Compiling entry function 'k' for 'sm_90'
//   ptxas info    : Function properties for k
//   ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 8 bytes cumulative stack size, 400 bytes smem
// "Function properties" also come for functions that are called; "Used" is of the entry that is being compiled.
namespace hiptune::nvidia {

namespace {

constexpr int kRegisterBytes = 4;

// The number right before `words`: number_before("…, 400 bytes smem", " bytes smem") is 400.
std::optional<int> number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t first = end;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  int number = 0;
  const auto [stop, error] = std::from_chars(line.data() + first, line.data() + end, number);
  return error == std::errc() && stop == line.data() + end ? std::optional(number) : std::nullopt;
}

// What follows `words`, up to a quote, white space or the end.
std::optional<std::string> name_after(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + words.size());
  return std::string(rest.substr(0, rest.find_first_of("' \t\r")));
}

void read_frame(std::string_view line, Resources& resources) {
  resources.scratch_bytes = number_before(line, " bytes stack frame");
  const std::optional<int> stores = number_before(line, " bytes spill stores");
  const std::optional<int> loads = number_before(line, " bytes spill loads");
  if (stores && loads) resources.spilled_registers = (std::max(*stores, *loads) + kRegisterBytes - 1) / kRegisterBytes;
}

void read_use(std::string_view line, Resources& resources) {
  resources.vgprs = number_before(line, " registers");
  if (!resources.vgprs) return;
  if (line.find(" smem") == std::string_view::npos)
    resources.lds_bytes = 0;
  else
    resources.lds_bytes = number_before(line, " bytes smem");
  const std::optional<int> with_callees = number_before(line, " bytes cumulative stack size");
  if (with_callees) resources.scratch_bytes = std::max(*with_callees, resources.scratch_bytes.value_or(0));
}

}  // namespace

std::map<std::string, Resources> read_ptxas_report(std::string_view log) {
  std::map<std::string, Resources> report;
  std::string entry, function;  // that the next lines are about
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (const auto name = name_after(line, "Compiling entry function '"))
      entry = *name;
    else if (const auto callee = name_after(line, "Function properties for "))
      function = *callee;
    else if (line.find(" bytes stack frame") != std::string_view::npos && !function.empty())
      read_frame(line, report[function]);
    else if (line.find(": Used ") != std::string_view::npos && !entry.empty())
      read_use(line, report[entry]);
  }
  return report;
}

}  // namespace hiptune::nvidia
