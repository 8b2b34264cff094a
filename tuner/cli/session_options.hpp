#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "session/coordinator.hpp"
#include "session/cores.hpp"
#include "session/survey.hpp"
#include "session/tuning.hpp"

namespace hiptune::cli {

// The running program, which is also the worker.
[[nodiscard]] std::filesystem::path this_program();

// Looks at devices in workers of the running program.
[[nodiscard]] Surveyor surveyor_of(const Options& options);

// More valid variants than these are stood for by a covering set.
inline constexpr std::size_t kMostVariants = 256;

struct ChosenVariants {
  std::vector<Config> configs;
  std::size_t valid = 0;  // of them all
  Invalid invalid;
};
// "117 of 2382 variants, which cover every pair of values (--all: every one); 5 more are invalid here: …"
[[nodiscard]] std::string counted_variants(const ChosenVariants& chosen);

// Options of the verbs that run variants: which ones, and with what patience.
struct VariantOptions {
  std::vector<std::string> fixed;
  bool covering = false, all = false;
  std::uint64_t seed = 1;
  double timeout_seconds = 60;
  std::size_t jobs = usable_cores();

  // --seed and --timeout.
  void add_to(CLI::App& command);
  void add_jobs_to(CLI::App& command);
  void add_timeout_to(CLI::App& command);
  // --covering and --all, for the verbs that may do with a part of the variants.
  void add_covering_to(CLI::App& command);
  // --fix, for the verbs that choose variants. `space`: of the kernel, where it is known.
  void add_fix_to(CLI::App& command, const Space* space);
  // Of the valid ones those asked for, and of more than kMostVariants a covering set, unless all are asked for.
  [[nodiscard]] ChosenVariants configs(const Space& space, const Problem& problem, const TargetFacts& facts) const;
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

// The user's cache folder. Throws Error(bad_input) where there is none: no --cache, no HIPTUNE_CACHE and no HOME.
[[nodiscard]] const std::filesystem::path& require_cache(const Options& options);

// Throws Error(bad_input) for a problem whose buffers alone exceed the device's memory.
void require_memory(const Space& space, const std::vector<Problem>& problems, const Target& target);

// What became of variants.
struct Tally {
  std::size_t good = 0;
  std::size_t rejected = 0;  // what they need is more than their space allows, and that is no failure
  std::size_t tried = 0;     // all but those
  [[nodiscard]] bool is_good() const { return good == tried; }
};
[[nodiscard]] Tally tally_of(const std::vector<Trial>& trials);

// "3 wrong, 1 crashed", or "none". What is invalid for what it needs is no failure.
[[nodiscard]] std::string failures_by_kind(const std::vector<Trial>& trials);
// "; 5 more invalid, such as A=2: spills 12 registers", or nothing: those that showed when they were compiled.
[[nodiscard]] std::string rejected_variants(const std::vector<Trial>& trials);
// A line with the whole text of the first failure, or nothing.
[[nodiscard]] std::string first_failure(const std::vector<Trial>& trials);

}  // namespace hiptune::cli
