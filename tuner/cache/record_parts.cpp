#include "cache/record_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "cache/target_json.hpp"

namespace hiptune {
namespace {

using nlohmann::json;

constexpr const char* kInfinity = "infinity";

Value value_from_json(const Field& field) {
  if (field.value().is_string()) return field.nonempty_text();
  if (field.value().is_number_integer()) return field.integer();
  throw field.wrong("must be an integer or a word");
}

json summary_to_json(const TimingSummary& summary) {
  return {{"median_ns", summary.median_ns}, {"spread_ns", summary.spread_ns}, {"samples", summary.samples}};
}

TimingSummary summary_from_json(const Field& field) {
  field.allow_only({"median_ns", "spread_ns", "samples"});
  return {field.at("median_ns").nonnegative(), field.at("spread_ns").nonnegative(),
          field.at("samples").small_integer(0)};
}

// A relative error is infinite where the oracle is 0; JSON has no word for that, so it gets ours.
json error_to_json(double error) {
  return error == std::numeric_limits<double>::infinity() ? json(kInfinity) : json(error);
}

double error_from_json(const Field& field) {
  if (field.value() == kInfinity) return std::numeric_limits<double>::infinity();
  return field.nonnegative();
}

struct ResourceField {
  const char* name;
  std::optional<int> Resources::*member;
};
constexpr std::array kResourceFields{
    ResourceField{"vgprs", &Resources::vgprs}, ResourceField{"sgprs", &Resources::sgprs},
    ResourceField{"lds_bytes", &Resources::lds_bytes}, ResourceField{"scratch_bytes", &Resources::scratch_bytes},
    ResourceField{"spilled_registers", &Resources::spilled_registers}};

json fingerprints_to_json(const Fingerprints& fingerprints) {
  return {{"source", fingerprints.source},
          {"device_layer", fingerprints.device_layer},
          {"space", fingerprints.space},
          {"reference", fingerprints.reference}};
}

Fingerprints fingerprints_from_json(const Field& field) {
  field.allow_only({"source", "device_layer", "space", "reference"});
  return {field.at("source").text(), field.at("device_layer").text(), field.at("space").text(),
          field.at("reference").text()};
}

json compiler_to_json(const CompilerRecord& compiler) {
  json resources = json::array();
  for (const auto& entry : compiler.resources) resources.push_back(to_json(entry));
  return {{"version", compiler.version}, {"isa_hash", compiler.isa_hash}, {"resources", std::move(resources)}};
}

CompilerRecord compiler_from_json(const Field& field) {
  field.allow_only({"version", "isa_hash", "resources"});
  CompilerRecord compiler{field.at("version").text(), field.at("isa_hash").text(), {}};
  for (const auto& entry : field.at("resources").items()) compiler.resources.push_back(resources_from_json(entry));
  return compiler;
}

// "2026-11-30T03:42:18.123Z"; the fraction may be missing or longer. Entries are ordered by this text, so no other
// form will do.
bool is_utc_date(const std::string& date) {
  constexpr std::string_view kSeconds = "dddd-dd-ddTdd:dd:dd";
  if (date.size() <= kSeconds.size() || date.back() != 'Z') return false;
  const auto matches = [](char pattern, char c) {
    return pattern == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : pattern == c;
  };
  if (!std::equal(kSeconds.begin(), kSeconds.end(), date.begin(), matches)) return false;
  const auto fraction = date.substr(kSeconds.size(), date.size() - kSeconds.size() - 1);
  return fraction.empty() || (fraction.size() > 1 && fraction[0] == '.' &&
                              fraction.find_first_not_of("0123456789", 1) == std::string::npos);
}

std::string date_from_json(const Field& field) {
  auto date = field.text();
  if (!is_utc_date(date)) throw field.wrong("must be a UTC time like 2026-11-30T03:42:18.123Z");
  return date;
}

}  // namespace

json assignment_to_json(const Assignment& assignment) {
  json pairs = json::array();
  for (const auto& pair : assignment)
    pairs.push_back(std::visit([&](const auto& plain) { return json::array({pair.first, plain}); }, pair.second));
  return pairs;
}

Assignment assignment_from_json(const Field& field) {
  Assignment assignment;
  for (const auto& item : field.items()) {
    const auto pair = item.items();
    if (pair.size() != 2) throw item.wrong("must be [\"NAME\", value]");
    auto name = pair[0].nonempty_text();
    if (find(assignment, name) != nullptr) throw pair[0].wrong("\"" + name + "\" appears twice");
    assignment.emplace_back(std::move(name), value_from_json(pair[1]));
  }
  return assignment;
}

json to_json(const Timing& timing) {
  return {{"cold", summary_to_json(timing.cold)}, {"warm", summary_to_json(timing.warm)}};
}

Timing timing_from_json(const Field& field) {
  field.allow_only({"cold", "warm"});
  return {summary_from_json(field.at("cold")), summary_from_json(field.at("warm"))};
}

json to_json(const Resources& resources) {
  json object = json::object();
  for (const auto& [name, member] : kResourceFields) {
    if (const auto& amount = resources.*member) object[name] = *amount;
  }
  return object;
}

Resources resources_from_json(const Field& field) {
  field.allow_only({"vgprs", "sgprs", "lds_bytes", "scratch_bytes", "spilled_registers"});
  Resources resources;
  for (const auto& [name, member] : kResourceFields) {
    if (const auto amount = field.find(name)) resources.*member = amount->small_integer(0);
  }
  return resources;
}

json to_json(const RecordedBaseline& baseline) {
  json object{{"name", baseline.name}, {"config", assignment_to_json(baseline.config)}, {"outcome", baseline.outcome}};
  if (baseline.timing) object["timing"] = to_json(*baseline.timing);
  return object;
}

RecordedBaseline baseline_from_json(const Field& field) {
  field.allow_only({"name", "config", "outcome", "timing"});
  RecordedBaseline baseline{field.at("name").text(), assignment_from_json(field.at("config")), std::nullopt,
                            field.at("outcome").text()};
  if (const auto timing = field.find("timing")) baseline.timing = timing_from_json(*timing);
  return baseline;
}

json to_json(const GateErrors& errors) {
  json object{{"max_absolute", error_to_json(errors.max_absolute)},
              {"max_relative", error_to_json(errors.max_relative)},
              {"max_in_limits", error_to_json(errors.max_in_limits)},
              {"checks", errors.checks}};
  if (errors.max_absolute_at_shape) object["max_absolute_at_shape"] = error_to_json(*errors.max_absolute_at_shape);
  if (!errors.worst.empty()) object["worst"] = errors.worst;
  if (!errors.precheck.empty()) object["precheck"] = errors.precheck;
  return object;
}

GateErrors gate_errors_from_json(const Field& field) {
  field.allow_only(
      {"max_absolute", "max_relative", "max_in_limits", "checks", "max_absolute_at_shape", "worst", "precheck"});
  GateErrors errors{error_from_json(field.at("max_absolute")), error_from_json(field.at("max_relative")),
                    error_from_json(field.at("max_in_limits")), field.at("checks").small_integer(0)};
  if (const auto at_shape = field.find("max_absolute_at_shape"))
    errors.max_absolute_at_shape = error_from_json(*at_shape);
  if (const auto worst = field.find("worst")) errors.worst = worst->text();
  if (const auto precheck = field.find("precheck")) errors.precheck = precheck->text();
  return errors;
}

json to_json(const Provenance& provenance) {
  json compilers = json::array();
  for (const auto& compiler : provenance.compilers) compilers.push_back(compiler_to_json(compiler));
  json object{{"fingerprints", fingerprints_to_json(provenance.fingerprints)},
              {"compilers", std::move(compilers)},
              {"target", to_json(provenance.target)},
              {"date", provenance.date},
              {"seed", provenance.seed},
              {"hiptune_version", provenance.hiptune_version}};
  if (provenance.revision > 0) object["revision"] = provenance.revision;
  return object;
}

Provenance provenance_from_json(const Field& field) {
  field.allow_only({"fingerprints", "compilers", "target", "date", "seed", "hiptune_version", "revision"});
  Provenance provenance;
  provenance.fingerprints = fingerprints_from_json(field.at("fingerprints"));
  for (const auto& compiler : field.at("compilers").items()) {
    provenance.compilers.push_back(compiler_from_json(compiler));
  }
  provenance.target = target_from_json(field.at("target"));
  provenance.date = date_from_json(field.at("date"));
  provenance.seed = field.at("seed").unsigned_integer();
  provenance.hiptune_version = field.at("hiptune_version").text();
  if (const auto revision = field.find("revision")) provenance.revision = revision->integer(1, kMaxRevision);
  return provenance;
}

}  // namespace hiptune
