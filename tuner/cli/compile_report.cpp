#include "cli/compile_report.hpp"

#include <algorithm>

#include "cli/text.hpp"
#include "problem/variant.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShortHash = 12;

// Of the plan, each entry point once, in the order in which a compiler is asked for them.
std::vector<EntryReport> entries_of(const Plan& plan) {
  std::vector<EntryReport> entries;
  for (const LaunchPlan& launch : plan.launches) {
    auto entry = std::ranges::find(entries, launch.entry, &EntryReport::entry);
    if (entry == entries.end()) entry = entries.insert(entry, {launch.entry, {}, 0});
    entry->dynamic_lds = std::max(entry->dynamic_lds, launch.fixed.dynamic_lds);
  }
  return entries;
}

template <class Number>
std::string cell(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "unavailable";
}

template <class Number>
Json json_of(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

std::string time_cell(const Trial& trial) {
  return trial.compile_seconds > 0 ? format_time(trial.compile_seconds * 1e9) : "-";
}

using Cells = std::vector<std::string>;

Cells failed_row(const Trial& trial) {
  return {to_string(trial.config), "-", to_string(trial.outcome), "-", "-", "-", "-", "-", "-", time_cell(trial)};
}

Cells row(const Trial& trial, const EntryReport& entry, bool first) {
  const Resources& resources = entry.resources;
  return {to_string(trial.config),
          entry.entry,
          to_string(trial.outcome),
          cell(resources.vgprs),
          cell(resources.sgprs),
          cell(entry.lds_bytes()),
          cell(resources.scratch_bytes),
          cell(resources.spilled_registers),
          trial.isa_hash.substr(0, kShortHash),
          first ? time_cell(trial) : "-"};  // the time is that of the whole code object
}

Json to_json(const EntryReport& entry) {
  const Resources& resources = entry.resources;
  return {{"entry", entry.entry},
          {"vgprs", json_of(resources.vgprs)},
          {"sgprs", json_of(resources.sgprs)},
          {"lds_bytes", json_of(entry.lds_bytes())},
          {"static_lds_bytes", json_of(resources.lds_bytes)},
          {"dynamic_lds_bytes", entry.dynamic_lds},
          {"scratch_bytes", json_of(resources.scratch_bytes)},
          {"spilled_registers", json_of(resources.spilled_registers)}};
}

}  // namespace

std::optional<std::int64_t> EntryReport::lds_bytes() const {
  return resources.lds_bytes ? std::optional(*resources.lds_bytes + dynamic_lds) : std::nullopt;
}

VariantReport report_of(Trial trial, const Space& space, const Problem& problem, const TargetFacts& facts) {
  VariantReport report{std::move(trial), {}, {}, {}};
  if (report.trial.resources.empty()) return report;
  report.entries = entries_of(make_plan(space, problem, facts, report.trial.config));
  for (std::size_t i = 0; i < report.entries.size(); ++i) report.entries[i].resources = report.trial.resources.at(i);
  return report;
}

std::string table_of(const std::vector<VariantReport>& reports) {
  const bool several = std::ranges::any_of(reports, [](const auto& report) { return report.entries.size() > 1; });
  Cells header{"configuration", "entry point",   "outcome", "registers", "SGPRs",
               "LDS bytes",     "scratch bytes", "spilled", "ISA",       "compiled in"};
  std::vector<Cells> rows{header};
  for (const VariantReport& report : reports) {
    if (report.entries.empty()) rows.push_back(failed_row(report.trial));
    for (const EntryReport& entry : report.entries)
      rows.push_back(row(report.trial, entry, &entry == &report.entries.front()));
  }
  if (!several)
    for (Cells& cells : rows) cells.erase(cells.begin() + 1);
  Table table(rows.front());
  for (auto cells = rows.begin() + 1; cells != rows.end(); ++cells) table.add(*cells);
  std::string text = table.text();
  text.pop_back();
  return text;
}

Json to_json(const VariantReport& report, const std::string& architecture, const std::string& problem) {
  const Trial& trial = report.trial;
  Json json{{"architecture", architecture},
            {"problem", problem},
            {"config", hiptune::to_json(trial.config)},
            {"outcome", to_string(trial.outcome)}};
  if (!trial.is_good()) json["detail"] = trial.detail;
  json["isa_hash"] = trial.isa_hash.empty() ? Json() : Json(trial.isa_hash);
  json["compile_seconds"] = trial.compile_seconds > 0 ? Json(trial.compile_seconds) : Json();
  json["entries"] = Json::array();
  for (const EntryReport& entry : report.entries) json["entries"].push_back(to_json(entry));
  if (report.code_file) json["code_file"] = report.code_file->string();
  if (report.disassembly) json["disassembly"] = report.disassembly->string();
  return json;
}

}  // namespace hiptune::cli
