#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "cache/code_store.hpp"
#include "cache/fingerprint.hpp"
#include "cache/freshness.hpp"
#include "cli/command_line.hpp"
#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"
#include "problem/config.hpp"
#include "problem/log.hpp"
#include "search/strategy.hpp"
#include "session/journal.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TuneOptions {
  ProblemOptions problem;
  VariantOptions variants;
  TimingOptions timing;
  std::string strategy;
  std::size_t trials = 0;
  std::string objective = "cold";
  int processes = TuneRequest{}.processes;
  std::string protocol = "adaptive";
  bool self_test = false;
  std::string precheck = "winners";
};

// As the origin of the kernels measured: 10 warm-ups, then 50 timed launches, in each process; no adaptive stop.
void follow_origin(TuneRequest& request) {
  constexpr int kWarmups = 10, kLaunches = 50;
  request.limits.warmups = kWarmups;
  request.limits.launches = 1;
  request.limits.stop.min_samples = request.limits.stop.max_samples = kLaunches;
  request.finals.min_rounds = request.finals.max_rounds = kLaunches;
}

std::string strategy_names() {
  std::string names;
  for (const StrategyEntry& entry : strategies())
    names += fmt::format("{}{}: {}", names.empty() ? "" : "; ", entry.name, entry.description);
  return names;
}

TuneRequest request_for(const TuneOptions& options, const Problem& problem, const Space& space) {
  TuneRequest request;
  request.problem = problem;
  request.fixed = parse_restriction(space, options.variants.fixed);
  if (!options.strategy.empty()) request.strategy = options.strategy;
  if (options.trials > 0) request.max_trials = options.trials;
  request.seed = options.variants.seed;
  request.objective = parse_objective(options.objective).value();  // CLI11 has checked it
  request.limits = options.timing.limits();
  request.processes = options.processes;
  request.self_test = options.self_test;
  request.precheck = options.precheck == "all"    ? Prechecked::all
                     : options.precheck == "none" ? Prechecked::none
                                                  : Prechecked::winners;
  if (options.protocol == "origin") follow_origin(request);
  return request;
}

double median_of(const Samples& samples, Objective objective) { return median(samples_for(samples, objective)); }

// A trial's cells for one mode: its time and its share of the copy's speed.
std::string share_of_copy(const Samples& samples, const TuneResult& result, Objective objective) {
  if (!result.yardstick) return "unavailable";
  return fmt::format("{:.2f}", median_of(result.yardstick->samples, objective) / median_of(samples, objective));
}

std::vector<std::string> row_of(const std::string& name, const Trial& trial, const TuneResult& result,
                                Objective objective) {
  if (!trial.samples)
    return {name, to_string(trial.outcome), "-", "-", fmt::format("{}", trial.threads), "-", "-", "-"};
  std::vector<std::string> row{name,
                               format_error(trial.errors.at_shape),
                               has_relative(trial.errors) ? format_error(trial.errors.relative) : "-",
                               fmt::format("{:.2f}", trial.errors.in_limits),
                               fmt::format("{}", trial.threads),
                               format_time(median_of(trial.samples.value(), Objective::cold)),
                               format_time(median_of(trial.samples.value(), Objective::warm)),
                               share_of_copy(*trial.samples, result, objective)};
  for (const MeasuredBaseline& baseline : result.baselines)
    row.push_back(!baseline.trial.samples ? "-"
                                          : fmt::format("{:.2f}x", median_of(*baseline.trial.samples, objective) /
                                                                       median_of(*trial.samples, objective)));
  return row;
}

// Fastest first, failures last; baselines that the search did not try at the end.
std::string table_of(const TuneResult& result, Objective objective) {
  std::vector<std::string> header{"configuration", "abs. error", "rel. error", "of limit",
                                  "threads",       "cold",       "warm",       "of copy " + to_string(objective)};
  for (const MeasuredBaseline& baseline : result.baselines) header.push_back("vs " + baseline.name);
  Table table(std::move(header));
  std::vector<const Trial*> sorted;
  for (const Trial& trial : result.trials) sorted.push_back(&trial);
  const auto time_of = [&](const Trial* trial) {
    return trial->samples ? median_of(*trial->samples, objective) : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return time_of(a) < time_of(b); });
  for (const Trial* trial : sorted) table.add(row_of(to_string(trial->config), *trial, result, objective));
  for (const MeasuredBaseline& baseline : result.baselines)
    table.add(row_of("baseline " + baseline.name, baseline.trial, result, objective));
  return table.text();
}

std::string trial_line(const Trial& trial, const std::string& baseline, std::size_t width) {
  std::string line = fmt::format("  {:<{}} {:<14}", to_string(trial.config), width, to_string(trial.outcome));
  if (trial.samples)
    line += fmt::format(" cold {:>9}  warm {:>9}", format_time(median(trial.samples->cold)),
                        format_time(median(trial.samples->warm)));
  if (!trial.detail.empty()) line += " " + headline(trial.detail, 160);
  return line + (baseline.empty() ? "" : "  (baseline " + baseline + ")");
}

std::string yardstick_text(const TuneResult& result) {
  if (!result.yardstick) return "yardstick: unavailable: " + result.no_yardstick;
  const Samples& samples = result.yardstick->samples;
  return fmt::format("yardstick: {}, cold {}, warm {}, {} moved", result.yardstick->name,
                     format_time(median(samples.cold)), format_time(median(samples.warm)),
                     format_bytes(result.work.bytes));
}

// "6 passed, 4 of them before; 1 impossible: …"
std::string precheck_text(const std::vector<PrecheckResult>& results) {
  std::size_t passed = 0, remembered = 0, rejected = 0, impossible = 0;
  std::string why;
  for (const PrecheckResult& one : results) {
    remembered += one.remembered;
    passed += one.verdict.outcome == PrecheckVerdict::Outcome::passed;
    rejected += one.verdict.is_rejected();
    if (one.verdict.outcome != PrecheckVerdict::Outcome::impossible) continue;
    ++impossible;
    why = to_string(one.config) + ": " + one.verdict.detail;
  }
  std::string text = fmt::format("{} passed", passed);
  if (remembered > 0) text += fmt::format(", {} of them in an earlier run", remembered);
  if (rejected > 0) text += fmt::format("; {} wrong", rejected);
  return impossible == 0 ? text
                         : text + fmt::format("; {} that the CPU cannot run: {}", impossible, first_line(why, 160));
}

// The finalists by their ratio to the fastest.
std::string finals_of(const TuneResult& result) {
  if (result.finals.empty()) return "";
  Table table({"finals", "vs fastest", "95 % interval", "median of processes", "range"});
  std::vector<const FinalResult*> sorted;
  for (const FinalResult& one : result.finals) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto* a, auto* b) { return a->standing.ratio < b->standing.ratio; });
  for (const FinalResult* one : sorted) {
    const auto [least, most] = std::ranges::minmax(one->process_medians);
    table.add({to_string(result.trials[one->trial].config), fmt::format("{:.4f}", one->standing.ratio),
               fmt::format("{:.4f} to {:.4f}", one->standing.lower, one->standing.upper),
               format_time(median(one->process_medians)),
               fmt::format("{} to {}", format_time(least), format_time(most))});
  }
  return table.text();
}

// Whether the search ended before the space did, and how it would not.
std::string extent_text(const Extent& extent, std::size_t candidates) {
  if (!extent.leaves_out_of(candidates)) return "";
  return fmt::format("{} of {} valid configurations, strategy {}{}", *extent.max_trials, candidates, extent.strategy,
                     extent.is_default ? "; --strategy exhaustive tries all" : ", as --trials says");
}

void print_result(const TuneResult& result, const TuneRequest& request, const Space& space, bool lost) {
  print("");
  print(table_of(result, request.objective) + yardstick_text(result));
  if (const std::string finals = finals_of(result); !finals.empty()) print("\n" + finals.substr(0, finals.size() - 1));
  if (const std::string accuracy = accuracy_of(result.trials, space.tolerance); !accuracy.empty()) print(accuracy);
  print("failures: " + failures_by_kind(result.trials) + rejected_variants(result.trials) +
        first_failure(result.trials));
  print("precheck on the CPU: " + (result.prechecks.empty() ? "not done" : precheck_text(result.prechecks)));
  for (const Record& gone : result.removed)
    print("removed: the cache's entry of this problem, " + to_string(gone.config) + ", which is wrong");
  if (result.invalid.count > 0)
    print(fmt::format("{} more {} invalid here: {}", result.invalid.count, result.invalid.count == 1 ? "is" : "are",
                      result.invalid.example));
  if (const std::string part = extent_text(result.extent, result.candidates); !part.empty()) print("searched: " + part);
  if (lost) return print("lost: readers of the cache do not find this result");
  if (!result.refusal.empty()) return print("nothing was stored: " + result.refusal);
  if (result.storing == Storing::none) return print("nothing usable came out; nothing was stored");
  const std::string config = to_string(result.record->config);
  if (result.storing == Storing::kept)
    return print("kept: the cache has a faster entry, " + config + "; this run tried only a part of the space");
  std::string ties;
  for (const Config& tie : result.record->ties) ties += (ties.empty() ? "" : "; ") + to_string(tie);
  print("stored: " + config + (ties.empty() ? "" : " (tied with: " + ties + ")"));
}

Json result_json(const Space& space, const TuneResult& result, const TuneRequest& request, bool lost) {
  Json json{{"result", lost                                ? "lost"
                       : result.storing == Storing::stored ? "stored"
                       : result.storing == Storing::kept   ? "kept"
                                                           : "none"},
            {"problem", to_string(space, request.problem)},
            {"objective", to_string(request.objective)},
            {"strategy", result.extent.strategy},
            {"trials", result.trials.size()},
            {"candidates", result.candidates},
            {"failures", failures_by_kind(result.trials)}};
  if (space.tolerance.origin) json["origin_limit"] = *space.tolerance.origin;
  if (!result.yardstick) json["no_yardstick"] = result.no_yardstick;
  for (const FinalResult& one : result.finals)
    json["finals"].push_back({{"config", to_json(result.trials[one.trial].config)},
                              {"ratio", one.standing.ratio},
                              {"lower", one.standing.lower},
                              {"upper", one.standing.upper},
                              {"process_medians_ns", one.process_medians}});
  for (const PrecheckResult& one : result.prechecks) {
    Json line{{"config", to_json(one.config)}, {"remembered", one.remembered}};
    line.update(to_json(one.verdict));
    json["prechecks"].push_back(std::move(line));
  }
  if (!result.refusal.empty()) json["refusal"] = result.refusal;
  for (const Record& gone : result.removed) json["removed"].push_back(Json::parse(to_json_line(gone)));
  if (result.record) json["entry"] = Json::parse(to_json_line(*result.record));
  return json;
}

TuneListener json_listener(const Space& space) {
  return {{},
          [&space](const Problem& problem, const MeasuredYardstick& yardstick) {
            print_json({{"yardstick", yardstick.name},
                        {"problem", to_string(space, problem)},
                        {"samples", to_json(yardstick.samples)}});
          },
          [&space](const Problem& problem, const Trial& trial, const std::string& baseline) {
            Json line{{"trial", to_json(trial)}, {"problem", to_string(space, problem)}};
            if (!baseline.empty()) line["baseline"] = baseline;
            print_json(line);
          },
          [&space](const Problem& problem, const std::vector<CaughtFault>& faults) {
            print_json({{"self_test", to_json(faults)}, {"problem", to_string(space, problem)}});
          }};
}

std::string self_test_text(const std::vector<CaughtFault>& faults) {
  const auto caught = std::ranges::count_if(faults, [](const CaughtFault& one) { return !one.caught.empty(); });
  return fmt::format("  self-test: {} of {} planted faults caught", caught, faults.size());
}

// The problem stands above its lines.
TuneListener text_listener(std::size_t width) {
  return {
      [](const Problem&, const Extent& extent, std::size_t candidates) {
        if (const std::string part = extent_text(extent, candidates); !part.empty()) print("  tries " + part);
      },
      [width](const Problem&, const MeasuredYardstick& yardstick) {
        print(fmt::format("  {:<{}} {:<14} cold {:>9}  warm {:>9}", "yardstick: " + yardstick.name, width, "timed",
                          format_time(median(yardstick.samples.cold)), format_time(median(yardstick.samples.warm))));
      },
      [width](const Problem&, const Trial& trial, const std::string& baseline) {
        print(trial_line(trial, baseline, width));
      },
      [](const Problem&, const std::vector<CaughtFault>& faults) { print(self_test_text(faults)); }};
}

bool is_now(const Record& record, const Space& space, const Problem& problem) {
  try {
    return problem_now(record, space) == problem;
  } catch (const Error&) {  // it has no name any more
    return false;
  }
}

// The entry that a reader of the cache now finds for a problem.
std::optional<Record> entry_in(const Store& store, const CacheKey& key, const Kernel& kernel, const Problem& problem) {
  const Fingerprints sources = fingerprints_of(kernel);
  for (Record& record : store.load(key, &sources).records)
    if (problem_key(record) == to_string(kernel.space, problem)) return std::move(record);
  return std::nullopt;
}

// Whether readers find what the run stored, which then is shown as they find it; says so where they do not.
bool is_found(const Store& store, const CacheKey& key, const Kernel& kernel, const Problem& problem,
              TuneResult& result) {
  std::optional<Record> entry = entry_in(store, key, kernel, problem);
  Record stored = *result.record;
  if (entry) stored.provenance.revision = entry->provenance.revision;  // which the store may have raised
  const bool is_ours = entry && to_json_line(*entry) == to_json_line(stored);
  // A result that another run stored in the meantime is as good.
  const bool is_another_run_s = entry && entry->provenance.fingerprints == stored.provenance.fingerprints &&
                                entry->provenance.date >= stored.provenance.date && entry->provenance.date <= utc_now();
  if (is_ours) result.record = std::move(entry);
  if (is_ours || is_another_run_s) return true;
  log().error("{}: the result was stored, but readers of {} find {}; is another run tuning this problem?",
              to_string(kernel.space, problem), store.file_of(key).string(),
              entry ? to_string(entry->config) + " of " + entry->provenance.date : "no entry");
  return false;
}

// Entries that are now called as the problem that was just tuned could never be used or replaced again.
void replace_orphans(Store& store, const CacheKey& key, const Kernel& kernel, const Problem& problem, bool json) {
  const Fingerprints sources = fingerprints_of(kernel);
  const auto is_this = [&](const Record& record) {
    return is_orphan(record, kernel.space) && is_now(record, kernel.space, problem);
  };
  if (std::ranges::none_of(store.load(key, &sources).records, is_this)) return;
  for (const Record& gone : store.drop(key, &sources, is_this))
    if (!json) print("replaced: the entry of " + problem_key(gone) + ", as this problem was called");
}

// Keeps what was compiled for later runs, but not without end.
class Bounded {
 public:
  explicit Bounded(const CodeStore& store) : store_(store) {}
  ~Bounded() { store_.shrink_to(kMostBytes); }
  Bounded(const Bounded&) = delete;
  Bounded& operator=(const Bounded&) = delete;

 private:
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;  // some ten thousand variants
  const CodeStore& store_;
};

int run(Context& context, const TuneOptions& options) {
  const Kernel& kernel = *context.kernel;
  const std::vector<Problem> problems = options.problem.problems(kernel.space);
  (void)request_for(options, problems.front(), kernel.space);  // bad input shows before anything runs
  if (!options.strategy.empty()) (void)make_strategy(options.strategy, {});
  const KernelPath path = context.kernel_path();
  const Kernel copy = path.load("copy");
  if (kernel.name != copy.name) warn_of_shadowed(path, copy.name);
  Store store(require_cache(context.options));
  const CodeStore compiled(context.options.cache / "compiled");
  const Bounded bounded(compiled);
  WorkerSettings settings = options.variants.worker_settings(context.options);
  settings.code_folder = context.options.cache / "compiled";
  Coordinator coordinator(std::move(settings));
  const CacheKey key = cache_key(coordinator.target(), kernel.name);
  store.require_writable(key);
  require_memory(kernel.space, problems, coordinator.target());
  Journal journal(context.options.cache / "journal", kernel.name);
  Tuning tuning(coordinator, kernel, copy, store, journal,
                context.json ? json_listener(kernel.space) : text_listener(config_width(kernel.space)));
  bool all_usable = true;
  for (const Problem& problem : problems) {
    const TuneRequest request = request_for(options, problem, kernel.space);
    if (!context.json)
      print(fmt::format("{} {} on {} ({})", kernel.name, to_string(kernel.space, problem), coordinator.target().id,
                        coordinator.target().name));
    TuneResult result = tuning.run(request);
    const bool lost = result.storing == Storing::stored && !is_found(store, key, kernel, problem, result);
    context.json ? print_json(result_json(kernel.space, result, request, lost))
                 : print_result(result, request, kernel.space, lost);
    if (result.storing != Storing::none && !lost) replace_orphans(store, key, kernel, problem, context.json);
    all_usable = all_usable && result.storing != Storing::none && !lost;
  }
  return all_usable ? kDone : kNothingUsable;
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<TuneOptions>();
  if (context.kernel) options->problem.add_to(command, context.kernel->space);
  options->variants.add_fix_to(command, context.kernel ? &context.kernel->space : nullptr);
  options->variants.add_to(command);
  options->variants.add_jobs_to(command);
  options->timing.add_to(command);
  command
      .add_option("--strategy", options->strategy,
                  fmt::format("{} (default: exhaustive where at most {} configurations are valid, else covering)",
                              strategy_names(), kSmallSpace))
      ->type_name("NAME")
      ->group("Search");
  command
      .add_option(
          "--trials", options->trials,
          fmt::format("at most so many configurations (default: all; without --strategy, where more than {} are "
                      "valid, {} on a GPU and {} on the CPU)",
                      kSmallSpace, kTrialsOnGpu, kTrialsOnCpu))
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000).description(""))
      ->group("Search");
  command.add_option("--objective", options->objective, "what decides: times with cold caches, or with warm ones")
      ->type_name("MODE")
      ->check(CLI::IsMember({"cold", "warm"}).description(""))
      ->capture_default_str()
      ->group("Search");
  command
      .add_option("--processes", options->processes, "fresh processes in which the finalists are timed side by side")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str()
      ->group("Timing");
  command
      .add_option("--protocol", options->protocol,
                  "adaptive: samples until the median is known well; origin: 10 warm-ups and 50 timed launches")
      ->type_name("NAME")
      ->check(CLI::IsMember({"adaptive", "origin"}).description(""))
      ->capture_default_str()
      ->group("Timing");
  command
      .add_flag("--self-test", options->self_test,
                "first plant faults into right results; store nothing unless the gate catches each")
      ->group("Trust");
  command
      .add_option(
          "--precheck", options->precheck,
          "checked on the CPU, for races, bounds and more: all variants before they are timed; the winners, that "
          "is finalists, baselines and fallback, before they are stored; or none")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"all", "winners", "none"}).description(""))
      ->capture_default_str()
      ->group("Trust");
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb tune_verb() {
  return {"tune", "Find the fastest right configuration and store it", Verb::Takes::kernel, configure, false};
}

}  // namespace hiptune::cli
