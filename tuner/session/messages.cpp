#include "session/messages.hpp"

#include <cmath>
#include <limits>

#include "measure/statistics.hpp"

namespace hiptune {

using Json = nlohmann::ordered_json;

namespace {

Json to_json(const Resources& resources) {
  Json json = Json::object();
  const auto put = [&](const char* name, const std::optional<int>& value) {
    if (value) json[name] = *value;
  };
  put("vgprs", resources.vgprs);
  put("sgprs", resources.sgprs);
  put("lds_bytes", resources.lds_bytes);
  put("scratch_bytes", resources.scratch_bytes);
  put("spilled_registers", resources.spilled_registers);
  return json;
}

Resources resources_from_json(const Json& json) {
  const auto get = [&](const char* name) {
    return json.contains(name) ? std::optional<int>(json.at(name).get<int>()) : std::nullopt;
  };
  return {get("vgprs"), get("sgprs"), get("lds_bytes"), get("scratch_bytes"), get("spilled_registers")};
}

Json to_json(const FinalsLimits& limits) {
  return {{"min_rounds", limits.min_rounds},
          {"max_rounds", limits.max_rounds},
          {"budget_ns", limits.budget.count()},
          {"tie_within", limits.tie_within}};
}

FinalsLimits finals_limits_from_json(const Json& json) {
  return {json.at("min_rounds"), json.at("max_rounds"), Nanoseconds(json.at("budget_ns").get<double>()),
          json.at("tie_within")};
}

Json to_json(const ClockSpan& clock) { return {{"before", clock.before_mhz}, {"after", clock.after_mhz}}; }

std::optional<ClockSpan> clock_span(const Json& trial, const char* mode) {
  if (!trial.contains("clock_mhz") || !trial.at("clock_mhz").contains(mode)) return std::nullopt;
  const Json& clock = trial.at("clock_mhz").at(mode);
  return ClockSpan{clock.at("before"), clock.at("after")};
}

}  // namespace

std::string to_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

Json to_json(const Assignment& assignment) {
  Json json = Json::object();
  for (const auto& [name, value] : assignment) std::visit([&, key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Assignment assignment_from_json(const Json& json) {
  Assignment assignment;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number_integer())
      assignment.emplace_back(name, value.get<std::int64_t>());
    else
      assignment.emplace_back(name, value.get<std::string>());
  }
  return assignment;
}

Json to_json(const Problem& problem) {
  return {{"dimensions", problem.dimensions}, {"dtype", to_string(problem.dtype)}, {"traits", to_json(problem.traits)}};
}

Problem problem_from_json(const Json& json) {
  return {json.at("dimensions").get<std::vector<std::int64_t>>(),
          parse_dtype(json.at("dtype").get<std::string>()).value(), assignment_from_json(json.at("traits"))};
}

Json to_json(const TimingLimits& limits) {
  Json json{{"min_samples", limits.stop.min_samples},
            {"max_samples", limits.stop.max_samples},
            {"budget_ns", limits.stop.budget.count()},
            {"target_relative_error", limits.stop.target_relative_error},
            {"warmups", limits.warmups},
            {"min_batch_ns", limits.min_batch.count()},
            {"max_batch", limits.max_batch}};
  if (limits.launches) json["launches"] = *limits.launches;
  if (limits.hopeless_cold) json["hopeless_cold_ns"] = *limits.hopeless_cold;
  if (limits.hopeless_warm) json["hopeless_warm_ns"] = *limits.hopeless_warm;
  return json;
}

TimingLimits timing_limits_from_json(const Json& json) {
  TimingLimits limits;
  limits.stop.min_samples = json.at("min_samples");
  limits.stop.max_samples = json.at("max_samples");
  limits.stop.budget = Nanoseconds(json.at("budget_ns").get<double>());
  limits.stop.target_relative_error = json.at("target_relative_error");
  limits.warmups = json.at("warmups");
  limits.min_batch = Nanoseconds(json.at("min_batch_ns").get<double>());
  limits.max_batch = json.at("max_batch");
  if (json.contains("launches")) limits.launches = json.at("launches").get<int>();
  if (json.contains("hopeless_cold_ns")) limits.hopeless_cold = json.at("hopeless_cold_ns").get<double>();
  if (json.contains("hopeless_warm_ns")) limits.hopeless_warm = json.at("hopeless_warm_ns").get<double>();
  return limits;
}

Json to_json(const std::vector<Round>& rounds) {
  Json json = Json::array();
  for (const Round& round : rounds) {
    json.push_back(Json::array());
    for (const std::optional<double>& time : round) json.back().push_back(time ? Json(*time) : Json(nullptr));
  }
  return json;
}

std::vector<Round> rounds_from_json(const Json& json) {
  std::vector<Round> rounds;
  for (const Json& times : json) {
    rounds.emplace_back();
    for (const Json& time : times)
      rounds.back().push_back(time.is_null() ? std::nullopt : std::optional(time.get<double>()));
  }
  return rounds;
}

Json to_json(const FinalsRequest& request) {
  Json json{{"op", "finals"},
            {"objective", to_string(request.objective)},
            {"timing", to_json(request.timing)},
            {"limits", to_json(request.limits)},
            {"seed", request.seed},
            {"configs", Json::array()}};
  for (const Config& config : request.configs) json["configs"].push_back(to_json(config));
  if (!request.copies) return json;
  json["copies"] = Json::array();
  for (const Config& config : *request.copies) json["copies"].push_back(to_json(config));
  return json;
}

FinalsRequest finals_request_from_json(const Json& json) {
  FinalsRequest request;
  request.objective = parse_objective(json.at("objective").get<std::string>()).value();
  request.timing = timing_limits_from_json(json.at("timing"));
  request.limits = finals_limits_from_json(json.at("limits"));
  request.seed = json.at("seed");
  for (const Json& config : json.at("configs")) request.configs.push_back(assignment_from_json(config));
  if (!json.contains("copies")) return request;
  request.copies.emplace();
  for (const Json& config : json.at("copies")) request.copies->push_back(assignment_from_json(config));
  return request;
}

Json to_json(const FinalsReport& report) {
  Json json{{"rounds", to_json(report.rounds)}, {"failures", Json::array()}};
  for (const auto& [finalist, failure] : report.failures)
    json["failures"].push_back({{"finalist", finalist}, {"outcome", to_string(failure.outcome)}, {"why", failure.why}});
  // As in a trial, and of each finalist.
  json["outlier_rounds"] = Json::array();
  for (std::size_t i = 0; !report.rounds.empty() && i < report.rounds.front().size(); ++i)
    json["outlier_rounds"].push_back(outlier_rounds(report.rounds, i));
  return json;
}

FinalsReport finals_report_from_json(const Json& json) {
  FinalsReport report{rounds_from_json(json.at("rounds")), {}};
  for (const Json& failure : json.at("failures"))
    report.failures[failure.at("finalist").get<std::size_t>()] = {parse_outcome(failure.at("outcome")),
                                                                  failure.at("why")};
  return report;
}

Json to_json(const Samples& samples) { return {{"cold_ns", samples.cold}, {"warm_ns", samples.warm}}; }

Samples samples_from_json(const Json& json) {
  return {json.at("cold_ns").get<std::vector<double>>(), json.at("warm_ns").get<std::vector<double>>()};
}

Json to_json(const PrecheckVerdict& verdict) {
  return {{"outcome", to_string(verdict.outcome)}, {"detail", verdict.detail}};
}

PrecheckVerdict precheck_verdict_from_json(const Json& json) {
  return {parse_precheck_outcome(json.at("outcome")), json.at("detail")};
}

Json to_json(const std::vector<CaughtFault>& faults) {
  Json json = Json::array();
  for (const CaughtFault& one : faults)
    json.push_back({{"fault", one.fault}, {"where", one.where}, {"caught", one.caught}});
  return json;
}

std::vector<CaughtFault> caught_faults_from_json(const Json& json) {
  std::vector<CaughtFault> faults;
  for (const Json& one : json) faults.push_back({one.at("fault"), one.at("where"), one.at("caught")});
  return faults;
}

Json to_json(const Trial& trial) {
  Json json{{"config", to_json(trial.config)}, {"outcome", to_string(trial.outcome)},
            {"detail", trial.detail},          {"errors", to_json(trial.errors)},
            {"checks", trial.checks},          {"threads", trial.threads},
            {"isa_hash", trial.isa_hash},      {"compile_seconds", trial.compile_seconds}};
  json["resources"] = Json::array();
  for (const Resources& resources : trial.resources) json["resources"].push_back(to_json(resources));
  if (!trial.samples) return json;
  json["samples"] = to_json(*trial.samples);
  // Of no use to who receives it: for readers of the journal.
  json["outliers"] = {{"cold", outliers(trial.samples->cold)}, {"warm", outliers(trial.samples->warm)}};
  json["pace"] = {{"cold", trial.pace.cold}, {"warm", trial.pace.warm}};
  if (trial.clocks.cold) json["clock_mhz"]["cold"] = to_json(*trial.clocks.cold);
  if (trial.clocks.warm) json["clock_mhz"]["warm"] = to_json(*trial.clocks.warm);
  json["is_steady"] = trial.is_steady;
  return json;
}

Trial trial_from_json(const Json& json) {
  Trial trial;
  trial.config = assignment_from_json(json.at("config"));
  trial.outcome = parse_outcome(json.at("outcome"));
  trial.detail = json.at("detail");
  trial.errors = errors_from_json(json.at("errors"));
  trial.checks = json.at("checks");
  trial.threads = json.at("threads");
  trial.isa_hash = json.at("isa_hash");
  trial.compile_seconds = json.at("compile_seconds");
  for (const Json& resources : json.at("resources")) trial.resources.push_back(resources_from_json(resources));
  if (!json.contains("samples")) return trial;
  trial.samples = samples_from_json(json.at("samples"));
  trial.pace = {json.at("pace").at("cold"), json.at("pace").at("warm")};
  trial.clocks = {clock_span(json, "cold"), clock_span(json, "warm")};
  trial.is_steady = json.at("is_steady");
  return trial;
}

Json to_json(const Error& error) { return {{"kind", static_cast<int>(error.kind())}, {"message", error.what()}}; }

Error error_from_json(const Json& json) {
  return {static_cast<ErrorKind>(json.at("kind").get<int>()), json.at("message").get<std::string>()};
}

Json to_json(const ErrorSummary& errors) {
  return {{"max_absolute", number(errors.absolute)},
          {"max_relative", number(errors.relative)},
          {"max_in_limits", number(errors.in_limits)},
          {"worst", errors.worst},
          {"max_absolute_at_shape", number(errors.at_shape)}};
}

ErrorSummary errors_from_json(const Json& json) {
  return {number_from_json(json.at("max_absolute")), number_from_json(json.at("max_relative")),
          number_from_json(json.at("max_in_limits")), number_from_json(json.at("max_absolute_at_shape")),
          json.at("worst")};
}

}  // namespace hiptune
