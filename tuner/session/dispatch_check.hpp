#pragma once

#include <nlohmann/json.hpp>

#include "hiptune/options.hpp"
#include "problem/problem.hpp"

namespace hiptune {

// Sends one call through the dispatcher as an application would, on random inputs, compares every output with the
// oracle and times it warm. The reply holds "choice", "config", "tuned_for", "reason", "failure" (null when right),
// "errors", "median_ns" and "bytes".
[[nodiscard]] nlohmann::ordered_json check_dispatch(const Options& options, const std::string& kernel,
                                                    const Problem& problem, std::uint64_t seed);

}  // namespace hiptune
