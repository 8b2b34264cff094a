#pragma once

#include <nlohmann/json.hpp>

#include "gate/precheck.hpp"
#include "hiptune/error.hpp"
#include "session/bench.hpp"
#include "session/trial.hpp"

namespace hiptune {

// JSON forms of what the coordinator and its workers tell each other, and of what the journal and --json print.
// Non-finite numbers travel as the strings "nan", "inf", "-inf": JSON has none.
[[nodiscard]] nlohmann::ordered_json to_json(const Assignment& assignment);
[[nodiscard]] Assignment assignment_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const Problem& problem);
[[nodiscard]] Problem problem_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const TimingLimits& limits);
[[nodiscard]] TimingLimits timing_limits_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const Samples& samples);
[[nodiscard]] Samples samples_from_json(const nlohmann::ordered_json& json);

// The request "finals" and its reply.
[[nodiscard]] nlohmann::ordered_json to_json(const FinalsRequest& request);
[[nodiscard]] FinalsRequest finals_request_from_json(const nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json to_json(const FinalsReport& report);
[[nodiscard]] FinalsReport finals_report_from_json(const nlohmann::ordered_json& json);

// A list per round, null for who took no part.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Round>& rounds);
[[nodiscard]] std::vector<Round> rounds_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const ErrorSummary& errors);
[[nodiscard]] ErrorSummary errors_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<CaughtFault>& faults);
[[nodiscard]] std::vector<CaughtFault> caught_faults_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const PrecheckVerdict& verdict);
[[nodiscard]] PrecheckVerdict precheck_verdict_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const Trial& trial);
[[nodiscard]] Trial trial_from_json(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json to_json(const Error& error);
[[nodiscard]] Error error_from_json(const nlohmann::ordered_json& json);

// On one line. Bytes that are no UTF-8, which a compiler or a dying kernel may print, become U+FFFD: JSON has none.
[[nodiscard]] std::string to_line(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json number(double value);
[[nodiscard]] double number_from_json(const nlohmann::ordered_json& json);

}  // namespace hiptune
