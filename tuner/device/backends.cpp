#include "device/backends.hpp"

#include <algorithm>
#include <cctype>

#include "device/backend_module.hpp"
#include "device/host/backend.hpp"
#include "device/host/compiler.hpp"
#include "hiptune/error.hpp"
#include "problem/nearest.hpp"

namespace hiptune {

namespace {

const Backend* find_backend(std::string_view name) {
  const auto found = std::ranges::find(backends(), name, &Backend::name);
  return found == backends().end() ? nullptr : &*found;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Backend& backend : backends()) list.push_back(backend.name);
  return list;
}

// "auto, host, host:wave64; no amd: there is no /dev/kfd ..."
std::string available_devices(const DeviceSettings& settings) {
  std::string ids = "auto", missing;
  for (const Backend& backend : backends()) {
    std::string reason;
    const std::vector<std::string> found = backend.devices(settings, reason);
    for (const std::string& id : found) ids += ", " + id;
    if (found.empty()) missing += "; no " + backend.name + ": " + reason;
  }
  return ids + missing;
}

// "sm90" and "GFX90A" are names but for their letter case and underscores: " (did you mean \"sm_90\"?)", else "".
std::string spelt_right(std::string_view architecture) {
  const auto plain = [](std::string_view text) {
    std::string letters;
    for (const char c : text)
      if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
  };
  const std::string given = plain(architecture);
  for (const Backend& backend : backends()) {
    const std::string prefix = plain(backend.architecture_prefix);
    if (given.starts_with(prefix))
      return " (did you mean \"" + backend.architecture_prefix + excerpt(given.substr(prefix.size())) + "\"?)";
  }
  return "";
}

}  // namespace

std::string first_available(const DeviceLister& devices) {
  std::string reasons;
  for (const Backend& backend : backends()) {
    std::string reason;
    const std::vector<std::string> ids = devices(backend, reason);
    if (!ids.empty()) return ids.front();
    reasons += "\n  " + backend.name + ": " + reason;
  }
  throw unavailable("no device is available:" + reasons);
}

const std::vector<Backend>& backends() {
  static const std::vector<Backend> list = {
      backend_of_modules("amd", "gfx", "ROCm"),
      backend_of_modules("nvidia", "sm_", "CUDA toolkit"),
      {"host", host::architecture_prefix(), host::devices, host::open, host::open_compiler},
  };
  return list;
}

std::unique_ptr<Device> open_device(std::string_view id, const DeviceSettings& settings) {
  if (id == "auto") {
    const auto here = [&](const Backend& backend, std::string& reason) { return backend.devices(settings, reason); };
    return open_device(first_available(here), settings);
  }
  const std::size_t colon = id.find(':');
  const Backend* backend = find_backend(id.substr(0, colon));
  if (backend == nullptr)
    throw unavailable("no device '" + excerpt(id) + "'" + did_you_mean(id.substr(0, colon), names()) +
                      "; there are: " + available_devices(settings));
  return backend->open(colon == std::string_view::npos ? std::string_view() : id.substr(colon + 1), settings);
}

std::unique_ptr<Compiler> open_compiler(std::string_view backend, const DeviceSettings& settings) {
  const Backend* found = find_backend(backend);
  if (found != nullptr) return found->compiler(settings);
  throw unavailable("no backend '" + std::string(backend) + "' to compile for; there are: " + join(names()));
}

const Backend& backend_for_architecture(std::string_view architecture) {
  std::string prefixes;
  for (const Backend& backend : backends()) {
    if (architecture.starts_with(backend.architecture_prefix)) return backend;
    prefixes += (prefixes.empty() ? "" : ", ") + backend.architecture_prefix + " (" + backend.name + ")";
  }
  throw bad_input("no compiler builds for '" + excerpt(architecture) + "'" + spelt_right(architecture) +
                  "; names of architectures begin with " + prefixes);
}

}  // namespace hiptune
