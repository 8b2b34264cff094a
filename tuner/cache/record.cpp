#include "cache/record.hpp"

#include <stdexcept>

#include "cache/fingerprint.hpp"
#include "cache/json_reason.hpp"
#include "cache/json_unique.hpp"
#include "cache/record_json.hpp"
#include "cache/record_parts.hpp"

namespace hiptune {
namespace {

using nlohmann::json;

json dimensions_to_json(const Record& record) {
  json pairs = json::array();
  for (const auto& [name, extent] : record.dimensions) pairs.push_back(json::array({name, extent}));
  return pairs;
}

std::vector<std::pair<std::string, std::int64_t>> dimensions_from_json(const Field& field) {
  std::vector<std::pair<std::string, std::int64_t>> dimensions;
  for (const auto& item : field.items()) {
    const auto pair = item.items();
    if (pair.size() != 2) throw item.wrong("must be [\"NAME\", extent]");
    dimensions.emplace_back(pair[0].nonempty_text(), pair[1].integer(0));
  }
  return dimensions;
}

Dtype dtype_from_json(const Field& field) {
  if (const auto dtype = parse_dtype(field.text())) return *dtype;
  throw field.wrong("unknown dtype \"" + field.text() + "\"");
}

Objective objective_from_json(const Field& field) {
  if (const auto objective = parse_objective(field.text())) return *objective;
  throw field.wrong("must be \"cold\" or \"warm\"");
}

Yardstick yardstick_from_json(const Field& field) {
  field.allow_only({"name", "timing"});
  return {field.at("name").text(), timing_from_json(field.at("timing"))};
}

// Text of compilers and drivers may hold any bytes; what is no UTF-8 becomes U+FFFD.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json fields_to_json(const Record& record) {
  json ties = json::array();
  for (const auto& tie : record.ties) ties.push_back(assignment_to_json(tie));
  json baselines = json::array();
  for (const auto& baseline : record.baselines) baselines.push_back(to_json(baseline));
  json fields{{"dimensions", dimensions_to_json(record)},
              {"dtype", to_string(record.dtype)},
              {"traits", assignment_to_json(record.traits)},
              {"config", assignment_to_json(record.config)},
              {"objective", to_string(record.objective)},
              {"timing", to_json(record.timing)},
              {"work_bytes", record.work_bytes},
              {"ties", std::move(ties)},
              {"baselines", std::move(baselines)},
              {"gate", to_json(record.gate)},
              {"provenance", to_json(record.provenance)}};
  if (record.yardstick)
    fields["yardstick"] = {{"name", record.yardstick->name}, {"timing", to_json(record.yardstick->timing)}};
  return fields;
}

Record fields_from_json(const Field& field) {
  field.allow_only({"dimensions", "dtype", "traits", "config", "objective", "timing", "work_bytes", "yardstick", "ties",
                    "baselines", "gate", "provenance", "checksum"});
  Record record;
  record.dimensions = dimensions_from_json(field.at("dimensions"));
  record.dtype = dtype_from_json(field.at("dtype"));
  record.traits = assignment_from_json(field.at("traits"));
  record.config = assignment_from_json(field.at("config"));
  record.objective = objective_from_json(field.at("objective"));
  record.timing = timing_from_json(field.at("timing"));
  record.work_bytes = field.at("work_bytes").nonnegative();
  if (const auto yardstick = field.find("yardstick")) record.yardstick = yardstick_from_json(*yardstick);
  for (const auto& tie : field.at("ties").items()) record.ties.push_back(assignment_from_json(tie));
  for (const auto& baseline : field.at("baselines").items()) record.baselines.push_back(baseline_from_json(baseline));
  record.gate = gate_errors_from_json(field.at("gate"));
  record.provenance = provenance_from_json(field.at("provenance"));
  return record;
}

// A record that its own reader would reject must never reach a file.
void require_readable(const json& fields) {
  try {
    static_cast<void>(fields_from_json(Field(fields)));
  } catch (const Error& error) {
    throw std::logic_error(std::string("a cache record that cannot be stored: ") + error.what());
  }
}

}  // namespace

std::string to_string(Objective objective) { return objective == Objective::cold ? "cold" : "warm"; }

std::optional<Objective> parse_objective(std::string_view text) {
  for (const auto objective : {Objective::cold, Objective::warm})
    if (text == to_string(objective)) return objective;
  return std::nullopt;
}

const TimingSummary& summary_for(const Timing& timing, Objective objective) {
  return objective == Objective::cold ? timing.cold : timing.warm;
}

std::string problem_key(const Record& record) {
  std::string key;
  for (const auto& [name, extent] : record.dimensions) key += name + "=" + std::to_string(extent) + " ";
  key += "dtype=" + to_string(record.dtype);
  return record.traits.empty() ? key : key + " " + to_string(record.traits);
}

std::string checksum_of(const Record& record) { return fingerprint_bytes(dump(fields_to_json(record))); }

std::string to_json_line(const Record& record) {
  auto fields = fields_to_json(record);
  require_readable(fields);
  fields["checksum"] = fingerprint_bytes(dump(fields));
  return dump(fields);
}

Record record_from_json(const json& entry) {
  const Field field(entry);
  auto record = fields_from_json(field);
  const auto recorded = field.at("checksum").text();
  auto rest = entry;
  rest.erase("checksum");
  if (recorded != fingerprint_bytes(dump(rest))) {
    throw field.at("checksum").wrong("does not match the entry: it was changed after hiptune wrote it");
  }
  return record;
}

json json_from_line(const std::string& line) {
  try {
    return parse_unique(line);
  } catch (const json::exception& error) {
    throw bad_input("not a JSON object: " + json_reason(error, line));
  }
}

Record record_from_json_line(const std::string& line) { return record_from_json(json_from_line(line)); }

std::optional<Record> claims_of(const json& entry) {
  Record record;
  try {
    const Field field(entry);
    record.dimensions = dimensions_from_json(field.at("dimensions"));
    record.dtype = dtype_from_json(field.at("dtype"));
    record.traits = assignment_from_json(field.at("traits"));
  } catch (const Error&) {
    return std::nullopt;
  }
  try {
    record.objective = objective_from_json(Field(entry).at("objective"));
    record.provenance = provenance_from_json(Field(entry).at("provenance"));
  } catch (const Error&) {  // the problem is known at least
  }
  return record;
}

}  // namespace hiptune
