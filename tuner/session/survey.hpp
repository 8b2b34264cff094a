#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "device/backends.hpp"
#include "session/worker_process.hpp"

namespace hiptune {

// What a backend has on this machine.
struct BackendSurvey {
  std::string backend;
  std::vector<Target> devices;
  std::vector<std::string> reasons;     // why there are no devices, or which of them cannot be opened
  std::optional<std::string> compiler;  // its version
  std::string no_compiler;              // why there is none
};

// How to look: each question goes to a worker process of `program`, so that a vendor's library that aborts or hangs is
// a reason like any other.
struct Surveyor {
  std::filesystem::path program;  // the hiptune executable
  DeviceSettings settings;
  Seconds deadline{60};
};

[[nodiscard]] BackendSurvey survey_backend(const Surveyor& surveyor, const std::string& backend);

// "auto" becomes the id of the first device of the first backend that has any. Throws Error(unavailable) when none has.
[[nodiscard]] std::string resolve_device(const Surveyor& surveyor, const std::string& id);

// What a device is, "auto" included. Throws Error(unavailable).
[[nodiscard]] Target target_of(const Surveyor& surveyor, const std::string& id);

// The worker's part.
[[nodiscard]] nlohmann::ordered_json answer_survey(const nlohmann::ordered_json& request);

}  // namespace hiptune
