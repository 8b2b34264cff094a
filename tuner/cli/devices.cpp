#include <spdlog/fmt/fmt.h>

#include "cache/target_json.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "device/backends.hpp"
#include "session/survey.hpp"

namespace hiptune::cli {
namespace {

std::string joined(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

void print_target(const Target& target) {
  print(fmt::format("  {:<12}  {}, {}, {} compute units, wave size {}, last-level cache {}, driver {}", target.id,
                    target.name, target.architecture, target.facts.compute_units, target.facts.wave_size,
                    target.last_level_cache_bytes > 0 ? format_bytes(static_cast<double>(target.last_level_cache_bytes))
                                                      : "unavailable",
                    target.driver));
}

void print_text(const BackendSurvey& survey) {
  const bool none = survey.devices.empty();
  print(survey.backend + ":" + (none ? " not available: " + joined(survey.reasons) : ""));
  for (const Target& target : survey.devices) print_target(target);
  if (!none)
    for (const std::string& reason : survey.reasons) print("  not available: " + reason);
  print("  compiler: " + (survey.compiler ? *survey.compiler : "not available: " + survey.no_compiler));
}

nlohmann::ordered_json to_line(const BackendSurvey& survey) {
  nlohmann::ordered_json line{{"backend", survey.backend}, {"available", !survey.devices.empty()}};
  if (!survey.reasons.empty()) line["reason"] = joined(survey.reasons);
  line["devices"] = nlohmann::ordered_json::array();
  for (const Target& target : survey.devices)
    line["devices"].push_back(nlohmann::ordered_json::parse(to_json(target).dump()));
  line[survey.compiler ? "compiler" : "no_compiler"] = survey.compiler ? *survey.compiler : survey.no_compiler;
  return line;
}

int run(const Context& context) {
  const Surveyor surveyor = surveyor_of(context.options);
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Backend& backend : backends()) {
    const BackendSurvey survey = survey_backend(surveyor, backend.name);
    if (context.json)
      lines.push_back(to_line(survey));
    else
      print_text(survey);
  }
  if (context.json) print_json({{"backends", lines}});
  return kDone;
}

Action configure(CLI::App& command, const Context&) {
  for (const char* unused : {"--device", "--cache", "--kernel-path"}) command.remove_option(command.get_option(unused));
  return [](Context& context) { return run(context); };
}

}  // namespace

Verb devices_verb() {
  return {"devices", "What devices and compilers there are, or why not", Verb::Takes::nothing, configure, false};
}

}  // namespace hiptune::cli
