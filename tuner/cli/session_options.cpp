#include "cli/session_options.hpp"

#include <map>

#include "hiptune/error.hpp"

namespace hiptune::cli {

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

void VariantOptions::add_to(CLI::App& command) {
  const std::string group = "Variants";
  command.add_option("--fix", fixed, "NAME=VALUE, hold a tunable; may be repeated")->group(group);
  command.add_option("--seed", seed, "of inputs and random choices")->group(group)->capture_default_str();
  command.add_option("--timeout", timeout_seconds, "seconds that each phase of a trial may last")
      ->group(group)
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
}

WorkerSettings VariantOptions::worker_settings(const Options& options) const {
  return {this_program(), options, Seconds(timeout_seconds)};
}

void TimingOptions::add_to(CLI::App& command) {
  const std::string group = "Timing";
  command.add_option("--samples", samples, "exactly so many samples, instead of until the median is known well")
      ->group(group)
      ->check(CLI::Range(5, 1000000));
  command.add_option("--launches", launches, "launches per sample, instead of as many as the clock needs")
      ->group(group)
      ->check(CLI::Range(1, 1000000));
  command.add_option("--warmups", warmups, "launches before the first sample")
      ->group(group)
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--budget", budget_seconds, "seconds of sampling per variant, cold and warm each")
      ->group(group)
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

TimingLimits TimingOptions::limits() const {
  TimingLimits limits;
  limits.warmups = warmups;
  limits.stop.budget = Seconds(budget_seconds);
  if (launches > 0) limits.launches = launches;
  if (samples > 0) {
    limits.stop.min_samples = limits.stop.max_samples = samples;
  }
  return limits;
}

std::string failures_by_kind(const std::vector<Trial>& trials) {
  std::map<std::string, int> counts;
  for (const Trial& trial : trials)
    if (!trial.is_good()) ++counts[to_string(trial.outcome)];
  std::string text;
  for (const auto& [kind, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return text.empty() ? "none" : text;
}

}  // namespace hiptune::cli
