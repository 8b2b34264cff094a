#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "session/coordinator.hpp"
#include "session/tuning.hpp"

namespace hiptune::cli {

// The running program, which is also the worker.
[[nodiscard]] std::filesystem::path this_program();

// Options of the verbs that run variants: which ones, and with what patience.
struct VariantOptions {
  std::vector<std::string> fixed;
  std::uint64_t seed = 1;
  double timeout_seconds = 60;

  void add_to(CLI::App& command);
  [[nodiscard]] WorkerSettings worker_settings(const Options& options) const;
};

// Options of the verbs that time variants.
struct TimingOptions {
  int samples = 0;
  int launches = 0;
  int warmups = TimingLimits{}.warmups;
  double budget_seconds = 0.5;

  void add_to(CLI::App& command);
  [[nodiscard]] TimingLimits limits() const;
};

// "3 wrong, 1 crashed", or "none".
[[nodiscard]] std::string failures_by_kind(const std::vector<Trial>& trials);

}  // namespace hiptune::cli
