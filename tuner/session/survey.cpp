#include "session/survey.hpp"

#include <algorithm>

#include "cache/target_json.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"
#include "session/messages.hpp"

namespace hiptune {

using Json = nlohmann::ordered_json;

namespace {

const Backend& backend_called(const std::string& name) { return *std::ranges::find(backends(), name, &Backend::name); }

// The reply, or why there is none: `trying` begins what is said of a worker that died or hung.
using Reply = std::variant<Json, std::string>;

Reply ask(const Surveyor& surveyor, Json question, const std::string& trying) {
  question["op"] = "survey";
  question["cxx_compiler"] = surveyor.settings.cxx_compiler;
  question["temporary_directory"] = surveyor.settings.temporary_directory;
  try {
    WorkerProcess worker(surveyor.program);
    WorkerAnswer answer = worker.ask(question, surveyor.deadline);
    if (auto* reply = std::get_if<Json>(&answer)) return std::move(*reply);
    return trying + ", " + describe(answer);
  } catch (const Error& error) {
    return std::string(error.what());
  }
}

struct Listed {
  std::vector<std::string> ids;
  std::string reason;  // why there are none
};

Listed list_devices(const Surveyor& surveyor, const std::string& backend) {
  const Reply reply = ask(surveyor, {{"part", "devices"}, {"backend", backend}}, "looking for its devices");
  if (const auto* reason = std::get_if<std::string>(&reply)) return {{}, *reason};
  const Json& listed = std::get<Json>(reply);
  return {listed.at("ids").get<std::vector<std::string>>(), listed.at("reason").get<std::string>()};
}

std::variant<Target, std::string> look_at(const Surveyor& surveyor, const std::string& id) {
  const Reply reply = ask(surveyor, {{"part", "target"}, {"id", id}}, "opening it");
  if (const auto* reason = std::get_if<std::string>(&reply)) return *reason;
  return target_from_json(nlohmann::json::parse(std::get<Json>(reply).at("target").dump()));
}

}  // namespace

BackendSurvey survey_backend(const Surveyor& surveyor, const std::string& backend) {
  BackendSurvey survey{backend, {}, {}, std::nullopt, ""};
  const Listed listed = list_devices(surveyor, backend);
  if (!listed.reason.empty()) survey.reasons.push_back(listed.reason);
  for (const std::string& id : listed.ids) {
    const auto found = look_at(surveyor, id);
    if (const auto* target = std::get_if<Target>(&found))
      survey.devices.push_back(*target);
    else
      survey.reasons.push_back(id + ": " + std::get<std::string>(found));
  }
  const Reply compiler = ask(surveyor, {{"part", "compiler"}, {"backend", backend}}, "looking for its compiler");
  if (const auto* reply = std::get_if<Json>(&compiler))
    survey.compiler = reply->at("version").get<std::string>();
  else
    survey.no_compiler = std::get<std::string>(compiler);
  return survey;
}

std::string resolve_device(const Surveyor& surveyor, const std::string& id) {
  if (id != "auto") return id;
  return first_available([&](const Backend& backend, std::string& reason) {
    Listed listed = list_devices(surveyor, backend.name);
    reason = std::move(listed.reason);
    return listed.ids;
  });
}

Target target_of(const Surveyor& surveyor, const std::string& id) {
  const auto found = look_at(surveyor, resolve_device(surveyor, id));
  if (const auto* target = std::get_if<Target>(&found)) return *target;
  throw unavailable(std::get<std::string>(found));
}

Json answer_survey(const Json& request) {
  const DeviceSettings settings{request.at("cxx_compiler"), request.at("temporary_directory")};
  const auto& part = request.at("part");
  if (part == "target")
    return {
        {"target", Json::parse(to_json(open_device(request.at("id").get<std::string>(), settings)->target()).dump())}};
  const auto backend = request.at("backend").get<std::string>();
  if (part == "compiler") return {{"version", open_compiler(backend, settings)->version()}};
  std::string reason;
  const std::vector<std::string> ids = backend_called(backend).devices(settings, reason);
  return {{"ids", ids}, {"reason", reason}};
}

}  // namespace hiptune
