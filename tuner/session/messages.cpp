#include "session/messages.hpp"

#include <cmath>
#include <limits>

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
  return json;
}

TimingLimits timing_limits_from_json(const Json& json) {
  TimingLimits limits;
  limits.stop = {json.at("min_samples"), json.at("max_samples"), Nanoseconds(json.at("budget_ns").get<double>()),
                 json.at("target_relative_error")};
  limits.warmups = json.at("warmups");
  limits.min_batch = Nanoseconds(json.at("min_batch_ns").get<double>());
  limits.max_batch = json.at("max_batch");
  if (json.contains("launches")) limits.launches = json.at("launches").get<int>();
  return limits;
}

Json to_json(const Samples& samples) { return {{"cold_ns", samples.cold}, {"warm_ns", samples.warm}}; }

Samples samples_from_json(const Json& json) {
  return {json.at("cold_ns").get<std::vector<double>>(), json.at("warm_ns").get<std::vector<double>>()};
}

Json to_json(const Trial& trial) {
  Json json{{"config", to_json(trial.config)}, {"outcome", to_string(trial.outcome)},
            {"detail", trial.detail},          {"errors", to_json(trial.errors)},
            {"checks", trial.checks},          {"threads", trial.threads},
            {"isa_hash", trial.isa_hash},      {"compile_seconds", trial.compile_seconds}};
  json["resources"] = Json::array();
  for (const Resources& resources : trial.resources) json["resources"].push_back(to_json(resources));
  if (trial.samples) json["samples"] = to_json(*trial.samples);
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
  if (json.contains("samples")) trial.samples = samples_from_json(json.at("samples"));
  return trial;
}

Json to_json(const Error& error) { return {{"kind", static_cast<int>(error.kind())}, {"message", error.what()}}; }

Error error_from_json(const Json& json) {
  return {static_cast<ErrorKind>(json.at("kind").get<int>()), json.at("message").get<std::string>()};
}

Json to_json(const ErrorSummary& errors) {
  return {{"max_absolute", number(errors.absolute)},
          {"max_relative", number(errors.relative)},
          {"max_in_limits", number(errors.in_limits)}};
}

ErrorSummary errors_from_json(const Json& json) {
  return {number_from_json(json.at("max_absolute")), number_from_json(json.at("max_relative")),
          number_from_json(json.at("max_in_limits"))};
}

}  // namespace hiptune
