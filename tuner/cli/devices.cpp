#include <spdlog/fmt/fmt.h>

#include "cache/target_json.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "device/backends.hpp"
#include "hiptune/error.hpp"

namespace hiptune::cli {
namespace {

struct Found {
  std::string backend;
  std::string reason;  // why there are no devices
  std::vector<Target> targets;
  std::string compiler;  // its version, or why there is none
  bool has_compiler = false;
};

Found look(const Backend& backend, const DeviceSettings& settings) {
  Found found{backend.name, "", {}, "", false};
  for (const std::string& id : backend.devices(settings, found.reason))
    found.targets.push_back(open_device(id, settings)->target());
  try {
    found.compiler = open_compiler(backend.name, settings)->version();
    found.has_compiler = true;
  } catch (const Error& error) {
    found.compiler = error.what();
  }
  return found;
}

void print_text(const std::vector<Found>& all) {
  for (const Found& found : all) {
    print(found.backend + (found.targets.empty() ? ": not available: " + found.reason : ":"));
    for (const Target& target : found.targets)
      print(fmt::format("  {:<12}  {}, {}, {} compute units, wave size {}, last-level cache {}, driver {}", target.id,
                        target.name, target.architecture, target.facts.compute_units, target.facts.wave_size,
                        target.last_level_cache_bytes > 0
                            ? format_bytes(static_cast<double>(target.last_level_cache_bytes))
                            : "unavailable",
                        target.driver));
    print(std::string("  compiler: ") + (found.has_compiler ? "" : "not available: ") + found.compiler);
  }
}

void print_lines(const std::vector<Found>& all) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const Found& found : all) {
    nlohmann::ordered_json line{{"backend", found.backend}, {"available", !found.targets.empty()}};
    if (found.targets.empty()) line["reason"] = found.reason;
    line["devices"] = nlohmann::ordered_json::array();
    for (const Target& target : found.targets)
      line["devices"].push_back(nlohmann::ordered_json::parse(to_json(target).dump()));
    line[found.has_compiler ? "compiler" : "no_compiler"] = found.compiler;
    result.push_back(std::move(line));
  }
  print_json({{"backends", result}});
}

int run(const Context& context) {
  const DeviceSettings settings{context.options.cxx_compiler, context.options.temporary_directory.string()};
  std::vector<Found> all;
  for (const Backend& backend : backends()) all.push_back(look(backend, settings));
  context.json ? print_lines(all) : print_text(all);
  return kDone;
}

Action configure(CLI::App&, const Context&) {
  return [](Context& context) { return run(context); };
}

}  // namespace

Verb devices_verb() {
  return {"devices", "What devices and compilers there are, or why not", Verb::Takes::nothing, configure, false};
}

}  // namespace hiptune::cli
