#include "session/precheck_memory.hpp"

#include <nlohmann/json.hpp>

#include "cache/files.hpp"
#include "cache/fingerprint.hpp"
#include "cache/target_json.hpp"
#include "device/host/cpu_features.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

// Of what is checked; another number forgets what passed less.
constexpr int kVersion = 2;

// Batch dimensions take sizes of the check's own.
nlohmann::json shape_of(const Space& space, const Problem& problem) {
  nlohmann::json shape{{"dtype", to_string(problem.dtype)}};
  for (std::size_t i = 0; i < space.dimensions.size(); ++i)
    if (!space.dimensions[i].batch) shape[space.dimensions[i].name] = problem.dimensions[i];
  for (const auto& [name, value] : problem.traits) shape["traits"][name] = to_string(value);
  return shape;
}

}  // namespace

std::string PrecheckMemory::key_of(const Kernel& kernel, const Problem& problem, const Config& config,
                                   const Target& target, const std::string& host_compiler) {
  const Fingerprints sources = fingerprints_of(kernel);
  const nlohmann::json key{{"version", kVersion},
                           {"hiptune", HIPTUNE_VERSION},
                           {"kernel", kernel.name},
                           {"sources", {sources.source, sources.device_layer, sources.space, sources.reference}},
                           {"shape", shape_of(kernel.space, problem)},
                           {"config", to_string(config)},
                           {"facts", to_json(target).at("facts")},
                           {"compiler", host_compiler},
                           {"cpu", host::cpu_features()}};
  return key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool PrecheckMemory::has_passed(const std::string& key) const {
  try {
    return read_file(folder_ / fingerprint_bytes(key)) == key;
  } catch (const Error& error) {
    log().warn("{}", error.what());
    return false;
  }
}

void PrecheckMemory::remember(const std::string& key) const {
  try {
    std::filesystem::create_directories(folder_);
    write_atomically(folder_ / fingerprint_bytes(key), key);
  } catch (const std::exception& error) {
    log().warn("a passed precheck is not remembered: {}", error.what());
  }
}

}  // namespace hiptune
