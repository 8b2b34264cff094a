#include "session/tuning.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "cache/fingerprint.hpp"
#include "cache/freshness.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"
#include "problem/config.hpp"
#include "problem/log.hpp"
#include "search/strategy.hpp"
#include "session/messages.hpp"
#include "session/precheck_memory.hpp"

namespace hiptune {
namespace {

void take_rejection(Trial& trial, const PrecheckVerdict& verdict) {
  trial.outcome = Outcome::wrong;
  trial.detail = "precheck on the CPU: " + verdict.detail;
  trial.samples.reset();
  log().warn("{}: {}", to_string(trial.config), text_of(trial));
}

std::optional<double> objective_of(const Trial& trial, Objective objective) {
  if (trial.outcome != Outcome::timed) return std::nullopt;
  return median(samples_for(*trial.samples, objective));
}

void order_like_space(const std::vector<Config>& candidates, std::vector<Trial>& trials) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) places.emplace(to_string(candidates[i]), i);
  const auto place = [&](const Trial& trial) { return places.at(to_string(trial.config)); };
  std::ranges::stable_sort(trials, {}, place);
}

// A list where there are several.
nlohmann::ordered_json to_json(const Restriction& restriction) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, values] : restriction) {
    const auto add = [&, key = name](const auto& value) {
      if (values.size() == 1)
        json[key] = value;
      else
        json[key].push_back(value);
    };
    for (const Value& value : values) std::visit(add, value);
  }
  return json;
}

}  // namespace

// The fastest copy so far, and why others could not be tried: a yardstick that cannot be measured ends no run.
struct YardstickSearch {
  Objective objective;
  std::optional<MeasuredYardstick> best;
  std::string failures;

  void take(const std::string& name, const Samples& samples) {
    const auto time_of = [&](const Samples& each) { return median(samples_for(each, objective)); };
    if (!best || time_of(samples) < time_of(best->samples)) best = {name, samples};
  }

  template <class Action>
  void attempt(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      failures += (failures.empty() ? "" : "; ") + std::string(error.what());
    }
  }
};

void require_caught(const std::vector<CaughtFault>& faults) {
  std::string survivors;
  for (const CaughtFault& one : faults)
    if (one.caught.empty()) survivors += fmt::format("\n  {} ({})", one.fault, one.where);
  if (!survivors.empty())
    throw failed("self-test: the gate did not catch what was planted, so nothing is stored; please report it:" +
                 survivors);
  if (faults.empty())
    throw failed("self-test: no fault could be planted, so nothing is stored; are there any outputs?");
}

Tuning::Tuning(Coordinator& coordinator, const Kernel& kernel, const Kernel& copy, Store& store, Journal& journal,
               TuneListener listener)
    : coordinator_(coordinator),
      kernel_(kernel),
      copy_(copy),
      store_(store),
      journal_(journal),
      listener_(std::move(listener)) {}

TuneResult Tuning::run(const TuneRequest& request) {
  const Target& target = coordinator_.target();
  store_.require_writable(cache_key(target, kernel_.name));
  TuneResult result;
  const Enumeration found = valid_configs(kernel_.space, request.problem, target.facts, request.fixed);
  result.invalid = found.invalid;
  result.candidates = found.valid.size();
  choose_extent(request, result);
  done_.clear();
  fastest_ = nullptr;
  is_prepared_ = false;
  prechecks_.clear();
  result.work = work_of(kernel_.space, request.problem, target.facts);
  journal_.append({{"tune", kernel_.name},
                   {"problem", to_string(kernel_.space, request.problem)},
                   {"device", target.id},
                   {"strategy", result.extent.strategy},
                   {"seed", request.seed},
                   {"fixed", to_json(request.fixed)}});
  if (listener_.extent) listener_.extent(request.problem, result.extent, result.candidates);
  if (request.self_test) run_self_test(request);
  take_yardstick(request, result);
  prepare(request);
  run_baselines(request, result);
  search(request, found.valid, result);
  decide(request, result);
  if (result.selection) precheck_rest(request, result);
  for (const auto& [name, one] : prechecks_) result.prechecks.push_back(one);
  remove_disproved(request, result);
  if (result.selection && result.refusal.empty()) store_winner(request, result);
  return result;
}

void Tuning::choose_extent(const TuneRequest& request, TuneResult& result) {
  result.extent = extent_of_search(request.strategy, request.max_trials, result.candidates,
                                   coordinator_.target().backend == "host");
}

void Tuning::prepare(const TuneRequest& request) {
  if (is_prepared_) return;
  coordinator_.prepare(kernel_.name, request.problem, request.seed);
  is_prepared_ = true;
}

void Tuning::run_self_test(const TuneRequest& request) {
  prepare(request);
  const std::vector<CaughtFault> faults = coordinator_.self_test(kernel_.space.fallback);
  journal_.append({{"self_test", to_json(faults)}});
  if (listener_.self_test) listener_.self_test(request.problem, faults);
  require_caught(faults);
}

void Tuning::take_yardstick(const TuneRequest& request, TuneResult& result) {
  const double bytes = result.work.bytes;
  auto known = yardsticks_.find(bytes);
  if (known == yardsticks_.end()) {
    // The worker holds one problem at a time, so that the kernel's is prepared behind the copy's. An oracle that does
    // not compile need not wait for that.
    coordinator_.compile_oracle(kernel_.name, request.problem);
    const YardstickSearch found = measure_yardstick(request, bytes);
    result.no_yardstick = found.failures;
    if (!found.best) return;
    if (!found.failures.empty()) log().warn("the yardstick is not the best there could be: {}", found.failures);
    known = yardsticks_.emplace(bytes, *found.best).first;
  }
  result.yardstick = known->second;
  if (listener_.yardstick) listener_.yardstick(request.problem, known->second);
}

YardstickSearch Tuning::measure_yardstick(const TuneRequest& request, double bytes) {
  YardstickSearch search{request.objective, {}, {}};
  search.attempt([&] { search.take("device copy", coordinator_.time_device_copy(bytes, request.limits)); });
  search.attempt([&] { try_copy_kernel(request, bytes, search); });
  if (!search.best) journal_.append({{"no_yardstick", search.failures}});
  return search;
}

void Tuning::try_copy_kernel(const TuneRequest& request, double bytes, YardstickSearch& search) {
  is_prepared_ = false;
  try_copies(coordinator_, copy_, bytes, request.seed, request.limits, [&](const Trial& trial) {
    journal_.append({{"yardstick", to_json(trial)}});
    if (trial.samples) search.take(copy_.name + " " + to_string(trial.config), *trial.samples);
  });
}

void Tuning::expect(std::size_t first_baseline, const std::vector<Config>& more) {
  std::vector<Config> configs;
  const auto add = [&](const Config& config) {
    if (!done_.contains(to_string(config))) configs.push_back(config);
  };
  for (std::size_t i = first_baseline; i < kernel_.space.baselines.size(); ++i) add(kernel_.space.baselines[i].config);
  for (const Config& config : more) add(config);
  coordinator_.expect(configs);
}

const Trial& Tuning::run_once(const Config& config, const TuneRequest& request, const std::string& baseline) {
  const auto [place, is_new] = done_.try_emplace(to_string(config));
  if (!is_new) return place->second;
  place->second.config = config;
  if (request.precheck == Prechecked::all && precheck(config, request).is_rejected())
    take_rejection(place->second, precheck(config, request));
  else
    place->second = coordinator_.run(config, baseline.empty() ? limits_for_search(request) : request.limits);
  note_time(place->second, request.objective);
  journal_.append({{"trial", to_json(place->second)}});
  if (listener_.trial) listener_.trial(request.problem, place->second, baseline);
  return place->second;
}

void Tuning::note_time(const Trial& trial, Objective objective) {
  const std::optional<double> time = objective_of(trial, objective);
  if (time && (fastest_ == nullptr || *time < *objective_of(*fastest_, objective))) fastest_ = &trial;
}

TimingLimits Tuning::limits_for_search(const TuneRequest& request) const {
  constexpr double kHopeless = 2;
  TimingLimits limits = request.limits;
  if (fastest_ == nullptr || request.is_exact()) return limits;
  limits.hopeless_cold = kHopeless * median(fastest_->samples->cold);
  limits.hopeless_warm = kHopeless * median(fastest_->samples->warm);
  return limits;
}

void Tuning::run_baselines(const TuneRequest& request, TuneResult& result) {
  for (const Baseline& baseline : kernel_.space.baselines) {
    expect(result.baselines.size(), {});
    result.baselines.push_back({baseline.name, run_once(baseline.config, request, baseline.name)});
  }
}

void Tuning::search(const TuneRequest& request, const std::vector<Config>& candidates, TuneResult& result) {
  const auto strategy = make_strategy(result.extent.strategy, {candidates, request.seed, result.extent.max_trials});
  while (true) {
    expect(kernel_.space.baselines.size(), strategy->ahead(coordinator_.lookahead()));
    const auto config = strategy->ask();
    if (!config) break;
    result.trials.push_back(run_once(*config, request, ""));
    strategy->tell(*config, objective_of(result.trials.back(), request.objective));
  }
  order_like_space(candidates, result.trials);
}

std::optional<std::vector<std::vector<Round>>> Tuning::run_finals(const TuneRequest& request,
                                                                  const std::vector<std::size_t>& finalists,
                                                                  TuneResult& result) {
  FinalsRequest finals{{}, request.objective, request.limits, request.finals, request.seed};
  for (const std::size_t i : finalists) finals.configs.push_back(result.trials[i].config);
  std::vector<std::vector<Round>> processes;
  for (int process = 0; process < request.processes; ++process, ++finals.seed) {
    coordinator_.restart();
    coordinator_.prepare(kernel_.name, request.problem, request.seed, GateDepth::tuned_shape);
    const auto answer = coordinator_.finals(finals);
    if (const auto* why = std::get_if<std::string>(&answer)) {
      log().warn("a process did not get through the finals: {}", *why);
      journal_.append({{"finals_failed", *why}});
      continue;
    }
    const auto& report = std::get<FinalsReport>(answer);
    journal_.append({{"finals", to_json(finals)}, {"report", to_json(report)}});
    for (const auto& [index, failure] : report.failures) reject(result.trials[finalists[index]], failure);
    if (!report.failures.empty()) return std::nullopt;
    processes.push_back(report.rounds);
  }
  return processes;
}

void Tuning::reject(Trial& trial, const FinalsFailure& failure) {
  trial.outcome = failure.outcome;
  trial.detail = failure.why;
  trial.samples.reset();
  log().warn("{}: {}", to_string(trial.config), text_of(trial));
}

const PrecheckVerdict& Tuning::precheck(const Config& config, const TuneRequest& request) {
  precheck_all({config}, request);
  return prechecks_.at(to_string(config)).verdict;
}

void Tuning::precheck_all(const std::vector<Config>& configs, const TuneRequest& request) {
  const PrecheckMemory memory(store_.root() / "prechecks");
  const auto key_of = [&](const Config& config) {
    return PrecheckMemory::key_of(kernel_, request.problem, config, coordinator_.target(),
                                  coordinator_.host_compiler_version());
  };
  std::vector<Config> unknown;
  for (const Config& config : configs) {
    if (prechecks_.contains(to_string(config)) || std::ranges::find(unknown, config) != unknown.end()) continue;
    if (memory.has_passed(key_of(config)))
      prechecks_[to_string(config)] = {config, {}, true};
    else
      unknown.push_back(config);
  }
  const auto verdicts = coordinator_.prechecks(kernel_.name, request.problem, unknown, request.seed);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    prechecks_[to_string(unknown[i])] = {unknown[i], verdicts[i], false};
    journal_.append({{"precheck", to_json(unknown[i])}, {"verdict", to_json(verdicts[i])}});
    if (verdicts[i].outcome == PrecheckVerdict::Outcome::passed) memory.remember(key_of(unknown[i]));
  }
}

// With what else a cache has to do with: the baselines that it compares with, and what is launched where nothing was
// tuned.
bool Tuning::precheck_finalists(const TuneRequest& request, const std::vector<std::size_t>& finalists,
                                TuneResult& result) {
  if (request.precheck == Prechecked::none || finalists.empty()) return true;
  std::vector<Config> configs;
  for (const std::size_t i : finalists) configs.push_back(result.trials[i].config);
  for (const MeasuredBaseline& baseline : result.baselines)
    if (baseline.trial.samples) configs.push_back(baseline.trial.config);
  configs.push_back(kernel_.space.fallback);
  precheck_all(configs, request);
  bool all_passed = true;
  for (const std::size_t i : finalists) {
    const PrecheckVerdict& verdict = precheck(result.trials[i].config, request);
    if (!verdict.is_rejected()) continue;
    take_rejection(result.trials[i], verdict);
    all_passed = false;
  }
  return all_passed;
}

void Tuning::precheck_rest(const TuneRequest& request, TuneResult& result) {
  if (request.precheck == Prechecked::none) return;
  for (MeasuredBaseline& baseline : result.baselines)
    if (baseline.trial.samples && precheck(baseline.trial.config, request).is_rejected())
      take_rejection(baseline.trial, precheck(baseline.trial.config, request));
  const PrecheckVerdict& fallback = precheck(kernel_.space.fallback, request);
  if (fallback.is_rejected())
    result.refusal =
        "the fallback, " + to_string(kernel_.space.fallback) + ", is wrong: precheck on the CPU: " + fallback.detail;
}

void Tuning::decide(const TuneRequest& request, TuneResult& result) {
  std::vector<std::optional<double>> times;
  for (const Trial& trial : result.trials) times.push_back(paced_time(trial, request.objective));
  const std::vector<std::size_t> finalists = choose_finalists(times);
  if (!precheck_finalists(request, finalists, result)) return decide(request, result);  // without those
  if (finalists.size() > 1) {
    const auto processes = run_finals(request, finalists, result);
    if (!processes) return decide(request, result);  // without those that failed
    if (!processes->empty()) return take_finals(request, finalists, *processes, result);
  }
  result.selection = select(result.trials, request.objective);
}

void Tuning::take_finals(const TuneRequest& request, const std::vector<std::size_t>& finalists,
                         const std::vector<std::vector<Round>>& processes, TuneResult& result) {
  const std::vector<Standing> standing = standings(processes);
  result.selection = select(result.trials, request.objective, finalists, standing, request.finals.tie_within);
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    FinalResult final{finalists[i], standing[i], {}};
    std::vector<double> all;
    for (const std::vector<Round>& rounds : processes) {
      const std::vector<double> own = times_in(rounds, i);
      final.process_medians.push_back(median(own));
      all.insert(all.end(), own.begin(), own.end());
    }
    Samples& samples = *result.trials[finalists[i]].samples;
    (request.objective == Objective::cold ? samples.cold : samples.warm) = std::move(all);
    result.finals.push_back(std::move(final));
  }
}

bool Tuning::tries_a_part(const TuneRequest& request, const TuneResult& result) const {
  return is_partial(kernel_.space, request.fixed) || result.extent.leaves_out_of(result.candidates);
}

void Tuning::remove_disproved(const TuneRequest& request, TuneResult& result) {
  std::vector<Config> wrong;
  for (const Trial& trial : result.trials)
    if (trial.outcome == Outcome::wrong) wrong.push_back(trial.config);
  for (const auto& [name, one] : prechecks_)
    if (one.verdict.is_rejected()) wrong.push_back(one.config);
  const CacheKey key = cache_key(coordinator_.target(), kernel_.name);
  const Fingerprints sources = fingerprints_of(kernel_);
  const auto is_disproved = [&](const Record& record) {
    return problem_key(record) == to_string(kernel_.space, request.problem) &&
           record.provenance.fingerprints == sources && std::ranges::find(wrong, record.config) != wrong.end();
  };
  if (std::ranges::none_of(store_.load(key, &sources).records, is_disproved)) return;
  try {
    result.removed = store_.drop(key, &sources, is_disproved);
    journal_.append({{"removed", result.removed.size()}});
  } catch (const Error& error) {
    log().error("the cache holds a configuration that is wrong, and it cannot be removed now: {}", error.what());
  }
}

void Tuning::store_winner(const TuneRequest& request, TuneResult& result) {
  const CacheKey key = cache_key(coordinator_.target(), kernel_.name);
  result.record = make_record(request, result);
  result.storing = Storing::stored;
  if (tries_a_part(request, result)) {
    for (const Record& old : store_.load(key).records) {
      const bool same = problem_key(old) == problem_key(*result.record) && old.objective == request.objective;
      const bool faster = summary_for(old.timing, request.objective).median_ns <=
                          summary_for(result.record->timing, request.objective).median_ns;
      if (!same || !faster || check_record(key, old, kernel_).freshness != Freshness::fresh) continue;
      result.record = old;
      result.storing = Storing::kept;
      return;
    }
  }
  store_.put(key, *result.record);
  // What a dispatcher without a compiler launches: the winner here, the fallback elsewhere.
  for (const Config& config : {result.record->config, kernel_.space.fallback})
    coordinator_.store(kernel_.name, request.problem, config, store_.root() / "objects");
  journal_.append({{"stored", to_string(result.record->config)}});
}

std::string Tuning::precheck_words(const Config& config) const {
  const auto found = prechecks_.find(to_string(config));
  return found == prechecks_.end() ? "not done" : to_string(found->second.verdict);
}

Record Tuning::make_record(const TuneRequest& request, const TuneResult& result) const {
  const Trial& winner = result.trials[result.selection->winner];
  Record record;
  for (std::size_t i = 0; i < kernel_.space.dimensions.size(); ++i)
    record.dimensions.emplace_back(kernel_.space.dimensions[i].name, request.problem.dimensions[i]);
  record.dtype = request.problem.dtype;
  record.traits = request.problem.traits;
  record.config = winner.config;
  record.objective = request.objective;
  record.timing = timing_of(*winner.samples);
  record.work_bytes = result.work.bytes;
  if (result.yardstick) record.yardstick = {result.yardstick->name, timing_of(result.yardstick->samples)};
  for (std::size_t tie : result.selection->ties) record.ties.push_back(result.trials[tie].config);
  for (const MeasuredBaseline& baseline : result.baselines)
    record.baselines.push_back(
        {baseline.name, baseline.trial.config,
         baseline.trial.samples ? std::optional(timing_of(*baseline.trial.samples)) : std::nullopt,
         text_of(baseline.trial)});
  record.gate = {winner.errors.absolute, winner.errors.relative, winner.errors.in_limits,      winner.checks,
                 winner.errors.at_shape, winner.errors.worst,    precheck_words(winner.config)};
  record.provenance = {fingerprints_of(kernel_),
                       {{coordinator_.compiler_version(), winner.isa_hash, winner.resources}},
                       coordinator_.target(),
                       utc_now(),
                       request.seed,
                       HIPTUNE_VERSION};
  return record;
}

}  // namespace hiptune
