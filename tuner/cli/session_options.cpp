#include "cli/session_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <spdlog/fmt/fmt.h>

#include "cli/text.hpp"
#include "hiptune/error.hpp"
#include "problem/config.hpp"
#include "problem/named_values.hpp"
#include "search/covering.hpp"

namespace hiptune::cli {

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

Surveyor surveyor_of(const Options& options) {
  return {this_program(), {options.cxx_compiler, options.temporary_directory.string()}};
}

namespace {

// NaN slips through comparisons, and so through a range.
CLI::Validator finite() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value) ? std::string() : text + " is no number";
      },
      "", "finite");
}

// Digits only: a conversion would take -1 for 2^64 - 1.
CLI::Validator unsigned_integer() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        return whole ? std::string() : text + " is not a whole number from 0 to 2^64 - 1";
      },
      "", "unsigned");
}

// A covering set, and what the space names, as far as it is among the valid ones.
std::vector<Config> covering_with_named(const Space& space, const std::vector<Config>& valid) {
  std::vector<Config> named;
  for (const Baseline& baseline : space.baselines) named.push_back(baseline.config);
  named.push_back(space.fallback);
  std::erase_if(named, [&](const Config& config) { return std::ranges::find(valid, config) == valid.end(); });
  return with_missing(pairwise_covering(valid), named);
}

// What a variant needs may make it invalid; that is no failure.
bool is_failure(const Trial& trial) { return !trial.is_good() && trial.outcome != Outcome::invalid; }

}  // namespace

void VariantOptions::add_fix_to(CLI::App& command, const Space* space) {
  const std::string group = "Variants";
  std::string tunables;
  if (space != nullptr)
    for (const Tunable& tunable : space->tunables)
      tunables += "; " + tunable.name + " is one of " + join(texts_of(tunable.values));
  command.add_option("--fix", fixed, "hold a tunable to some of its values; may be repeated for others" + tunables)
      ->group(group)
      ->type_name("NAME=VALUE[,VALUE...]")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void VariantOptions::add_to(CLI::App& command) {
  const std::string group = "Variants";
  command.add_option("--seed", seed, "of inputs and random choices")
      ->group(group)
      ->type_name("N")
      ->check(unsigned_integer())
      ->capture_default_str();
  add_timeout_to(command);
}

void VariantOptions::add_jobs_to(CLI::App& command) {
  command
      .add_option("--jobs", jobs,
                  "so many processes compile, and precheck (default: one for each core that may be used)")
      ->group("Variants")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
}

void VariantOptions::add_timeout_to(CLI::App& command) {
  command.add_option("--timeout", timeout_seconds, "seconds that each phase of a trial may last")
      ->group("Variants")
      ->type_name("SECONDS")
      ->check(finite())
      ->check(CLI::Range(0.001, 1e6).description(""))
      ->capture_default_str();
}

void VariantOptions::add_covering_to(CLI::App& command) {
  CLI::Option* flag =
      command.add_flag("--covering", covering, "a set in which every pair of values occurs, instead of all");
  flag->group("Variants");
  command.add_flag("--all", all, fmt::format("all, also where there are more than {}: else --covering", kMostVariants))
      ->group("Variants")
      ->excludes(flag);
}

ChosenVariants VariantOptions::configs(const Space& space, const Problem& problem, const TargetFacts& facts) const {
  Enumeration found = valid_configs(space, problem, facts, parse_restriction(space, fixed));
  ChosenVariants chosen{{}, found.valid.size(), std::move(found.invalid)};
  const bool is_part = covering || (!all && found.valid.size() > kMostVariants);
  chosen.configs = is_part ? covering_with_named(space, found.valid) : std::move(found.valid);
  return chosen;
}

WorkerSettings VariantOptions::worker_settings(const Options& options) const {
  WorkerSettings settings{this_program(), options, Seconds(timeout_seconds)};
  settings.jobs = jobs;
  return settings;
}

void TimingOptions::add_to(CLI::App& command) {
  const std::string group = "Timing";
  command.add_option("--samples", samples, "exactly so many samples, instead of until the median is known well")
      ->group(group)
      ->type_name("N")
      ->check(CLI::Range(5, 1000000).description(""));
  command.add_option("--launches", launches, "launches per sample, instead of as many as take a millisecond")
      ->group(group)
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  command.add_option("--warmups", warmups, "launches before the first sample")
      ->group(group)
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  command.add_option("--budget", budget_seconds, "seconds of sampling per variant, cold and warm each")
      ->group(group)
      ->type_name("SECONDS")
      ->check(finite())
      ->check(CLI::Range(0.0, 1e6).description(""))
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

const std::filesystem::path& require_cache(const Options& options) {
  if (options.cache.empty()) throw bad_input("--cache is missing, and neither HIPTUNE_CACHE nor HOME is set");
  return options.cache;
}

void require_memory(const Space& space, const std::vector<Problem>& problems, const Target& target) {
  for (const Problem& problem : problems) {
    double bytes = 0;
    for (const BufferShape& shape : buffer_shapes(space, problem, target.facts))
      bytes += static_cast<double>(shape.elements()) * static_cast<double>(size_of(shape.type));
    if (bytes <= static_cast<double>(target.memory_bytes)) continue;
    throw bad_input(to_string(space, problem) + ": its buffers take " + format_bytes(bytes) + ", and " + target.id +
                    " has " + format_bytes(static_cast<double>(target.memory_bytes)) + "; choose smaller dimensions");
  }
}

std::string counted_variants(const ChosenVariants& chosen) {
  const Invalid& invalid = chosen.invalid;
  std::string text = counted(chosen.configs.size(), "variant");
  if (chosen.configs.size() < chosen.valid)
    text += fmt::format(" of {}, in which every pair of values occurs (--all: every one)", chosen.valid);
  if (invalid.count > 0)
    text +=
        fmt::format(", {} more {} invalid here: {}", invalid.count, invalid.count == 1 ? "is" : "are", invalid.example);
  return text;
}

Tally tally_of(const std::vector<Trial>& trials) {
  const auto good = static_cast<std::size_t>(std::ranges::count_if(trials, &Trial::is_good));
  const auto rejected = static_cast<std::size_t>(std::ranges::count(trials, Outcome::invalid, &Trial::outcome));
  return {good, rejected, trials.size() - rejected};
}

std::string rejected_variants(const std::vector<Trial>& trials) {
  const auto first = std::ranges::find(trials, Outcome::invalid, &Trial::outcome);
  if (first == trials.end()) return "";
  return fmt::format("; {} more invalid, such as {}: {}", tally_of(trials).rejected, to_string(first->config),
                     first->detail);
}

std::string first_failure(const std::vector<Trial>& trials) {
  const auto failed = std::ranges::find_if(trials, is_failure);
  if (failed == trials.end()) return "";
  return "\nfirst failure: " + to_string(failed->config) + ": " + to_string(failed->outcome) + ": " + failed->detail;
}

std::string failures_by_kind(const std::vector<Trial>& trials) {
  std::map<std::string, int> counts;
  for (const Trial& trial : trials)
    if (is_failure(trial)) ++counts[to_string(trial.outcome)];
  std::string text;
  for (const auto& [kind, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return text.empty() ? "none" : text;
}

}  // namespace hiptune::cli
