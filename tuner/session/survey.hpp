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

// Looks in worker processes of `program`, so that a vendor's library that aborts or hangs is a reason like any other.
[[nodiscard]] BackendSurvey survey_backend(const std::string& backend, const std::filesystem::path& program,
                                           const DeviceSettings& settings, Seconds deadline = Seconds(60));

// The worker's part.
[[nodiscard]] nlohmann::ordered_json answer_survey(const nlohmann::ordered_json& request);

}  // namespace hiptune
