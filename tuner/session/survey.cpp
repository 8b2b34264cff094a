#include "session/survey.hpp"

#include <algorithm>

#include "cache/target_json.hpp"
#include "hiptune/error.hpp"
#include "session/messages.hpp"

namespace hiptune {

using Json = nlohmann::ordered_json;

namespace {

const Backend& backend_called(const std::string& name) { return *std::ranges::find(backends(), name, &Backend::name); }

Json devices_of(const std::string& backend, const DeviceSettings& settings) {
  Json devices = Json::array(), reasons = Json::array();
  std::string reason;
  for (const std::string& id : backend_called(backend).devices(settings, reason)) {
    try {
      devices.push_back(Json::parse(to_json(open_device(id, settings)->target()).dump()));
    } catch (const Error& error) {
      reasons.push_back(id + ": " + error.what());
    } catch (const DeviceLost& error) {
      reasons.push_back(id + ": " + error.what());
    }
  }
  if (!reason.empty()) reasons.push_back(reason);
  return {{"devices", devices}, {"reasons", reasons}};
}

// A worker of its own for each question: what ends one leaves the other's answer.
WorkerAnswer ask(const std::string& part, const std::string& backend, const std::filesystem::path& program,
                 const DeviceSettings& settings, Seconds deadline) {
  WorkerProcess worker(program);
  return worker.ask({{"op", "survey"},
                     {"part", part},
                     {"backend", backend},
                     {"cxx_compiler", settings.cxx_compiler},
                     {"temporary_directory", settings.temporary_directory}},
                    deadline);
}

}  // namespace

BackendSurvey survey_backend(const std::string& backend, const std::filesystem::path& program,
                             const DeviceSettings& settings, Seconds deadline) {
  BackendSurvey survey{backend, {}, {}, std::nullopt, ""};
  const WorkerAnswer devices = ask("devices", backend, program, settings, deadline);
  if (const auto* reply = std::get_if<Json>(&devices)) {
    for (const Json& target : reply->at("devices"))
      survey.devices.push_back(target_from_json(nlohmann::json::parse(target.dump())));
    survey.reasons = reply->at("reasons").get<std::vector<std::string>>();
  } else {
    survey.reasons = {"looking for its devices, " + describe(devices)};
  }
  try {
    const WorkerAnswer compiler = ask("compiler", backend, program, settings, deadline);
    if (const auto* reply = std::get_if<Json>(&compiler))
      survey.compiler = reply->at("version").get<std::string>();
    else
      survey.no_compiler = "looking for its compiler, " + describe(compiler);
  } catch (const Error& error) {
    survey.no_compiler = error.what();
  }
  return survey;
}

Json answer_survey(const Json& request) {
  const DeviceSettings settings{request.at("cxx_compiler"), request.at("temporary_directory")};
  const auto backend = request.at("backend").get<std::string>();
  if (request.at("part") == "devices") return devices_of(backend, settings);
  return {{"version", open_compiler(backend, settings)->version()}};
}

}  // namespace hiptune
