#include "session/contest.hpp"

#include <algorithm>

#include "dispatch/choices.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"
#include "problem/config.hpp"
#include "problem/log.hpp"
#include "problem/variant.hpp"

namespace hiptune {
namespace {

constexpr const char* kDeviceCopy = "device copy";

std::vector<Contender*> timed(ContestResult& result) {
  std::vector<Contender*> all;
  for (std::vector<Contender>* list : {&result.contenders, &result.copies})
    for (Contender& one : *list)
      if (one.outcome == Outcome::timed) all.push_back(&one);
  return all;
}

std::vector<Config> configs_of(const std::vector<Contender>& contenders) {
  std::vector<Config> configs;
  for (const Contender& one : contenders)
    if (one.outcome == Outcome::timed && !one.config.empty()) configs.push_back(one.config);
  return configs;
}

// Medians of one's time over another's in each round.
double median_ratio(const std::vector<Round>& rounds, std::size_t one, std::size_t other) {
  return standings_against(other, {&rounds, 1})[one].ratio;
}

// The fastest copy of the rounds: its column.
std::optional<std::size_t> fastest_copy(const std::vector<Round>& rounds, std::size_t first) {
  std::optional<std::size_t> fastest;
  for (std::size_t i = first; i < rounds.front().size(); ++i)
    if (!fastest || median_ratio(rounds, i, *fastest) < 1) fastest = i;
  return fastest;
}

// A copy that fails is no contender: all that is lost is a yardstick. Without the device's own there is none.
void drop_failed_copies(ContestResult& result) {
  for (const Contender& one : result.copies)
    if (one.outcome != Outcome::timed) result.no_yardstick = one.names.front() + ": " + one.detail;
  if (!result.copies.empty() && result.copies.back().outcome != Outcome::timed) result.copies.clear();
  std::erase_if(result.copies, [](const Contender& one) { return one.outcome != Outcome::timed; });
}

}  // namespace

Chosen choose_for(const Space& space, const std::vector<TunedProblem>& entries, const Problem& problem,
                  const TargetFacts& facts) {
  const Choices choices = choose(space, entries, problem, facts);
  const std::optional<std::size_t> entry = entry_for(choices, batch_values(space, problem));
  if (!entry) return {Choice::fallback, space.fallback, std::nullopt};
  const TunedProblem& tuned = entries[*entry];
  return {tuned.problem == problem ? Choice::exact : Choice::nearest, tuned.config, tuned.problem};
}

bool ContestResult::all_timed() const {
  return std::ranges::all_of(contenders, [](const Contender& one) {
    return one.outcome == Outcome::timed || one.outcome == Outcome::invalid;
  });
}

void compare(ContestResult& result, Objective objective, const std::vector<Round>& rounds) {
  const std::vector<Contender*> columns = timed(result);
  const auto is_timed = [](const Contender& one) { return one.outcome == Outcome::timed; };
  const auto first_copy = static_cast<std::size_t>(std::ranges::count_if(result.contenders, is_timed));
  const std::optional<std::size_t> yardstick = fastest_copy(rounds, first_copy);
  if (yardstick) result.yardstick[objective] = static_cast<std::size_t>(columns[*yardstick] - result.copies.data());
  std::vector<Standing> against;
  if (is_timed(result.contenders.front())) against = standings_against(0, {&rounds, 1});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ContestTimes& times = columns[i]->times[objective];
    times.rounds = times_in(rounds, i);
    if (!against.empty()) times.against_winner = against[i];
    if (yardstick) times.share_of_yardstick = median_ratio(rounds, *yardstick, i);
  }
}

Contest::Contest(Coordinator& coordinator, const Kernel& kernel, const Kernel& copy,
                 std::vector<std::filesystem::path> caches)
    : coordinator_(coordinator), kernel_(kernel), copy_(copy), caches_(std::move(caches)) {}

ContestResult Contest::run(const ContestRequest& request) {
  const Target& target = coordinator_.target();
  const Space& space = kernel_.space;
  ContestResult result;
  result.work = work_of(space, request.problem, target.facts);
  const Catalog catalog = load_catalog(caches_, target, kernel_, request.problem.dtype);
  result.chosen = choose_for(space, catalog.entries, request.problem, target.facts);
  enter("winner", result.chosen.config, request, result);
  for (const Baseline& baseline : space.baselines)
    enter("baseline " + baseline.name, make_config(space, baseline.config, baseline.name), request, result);
  enter_copies(request, result);
  coordinator_.prepare(kernel_.name, request.problem, request.seed);
  gate(result);
  prepare_copies(request, result);
  for (const Objective objective : request.objectives) time(request, result, objective);
  return result;
}

void Contest::enter(const std::string& name, const Config& config, const ContestRequest& request,
                    ContestResult& result) const {
  for (Contender& one : result.contenders)
    if (one.config == config) return one.names.push_back(name);
  Contender contender{{name}, config, Outcome::timed, "", {}, {}};
  if (const auto why = why_invalid(kernel_.space, request.problem, coordinator_.target().facts, config)) {
    contender.outcome = Outcome::invalid;
    contender.detail = *why;
  }
  result.contenders.push_back(std::move(contender));
}

void Contest::enter_copies(const ContestRequest& request, ContestResult& result) {
  try {
    const Problem problem = copy_problem(copy_.space, result.work.bytes);
    for (const Config& config : best_copies(problem, request, result.work.bytes))
      result.copies.push_back({{copy_.name}, config, Outcome::timed, "", {}, {}});
  } catch (const Error& error) {
    result.no_yardstick = error.what();
    log().warn("the yardstick is not the best there could be: {}", result.no_yardstick);
  }
  result.copies.push_back({{kDeviceCopy}, {}, Outcome::timed, "", {}, {}});
}

// The cache's, where one was tuned for just these bytes; else the best of a few in each mode.
std::vector<Config> Contest::best_copies(const Problem& problem, const ContestRequest& request, double bytes) {
  const Catalog catalog = load_catalog(caches_, coordinator_.target(), copy_, problem.dtype);
  const Chosen chosen = choose_for(copy_.space, catalog.entries, problem, coordinator_.target().facts);
  if (chosen.choice == Choice::exact) return {chosen.config};
  std::vector<Trial> trials;
  try_copies(coordinator_, copy_, bytes, request.seed, request.timing, [&](const Trial& trial) {
    if (trial.outcome == Outcome::timed) trials.push_back(trial);
  });
  std::vector<Config> best;
  for (const Objective objective : request.objectives) {
    const auto time_of = [&](const Trial& trial) { return median(samples_for(*trial.samples, objective)); };
    const auto fastest = std::ranges::min_element(trials, {}, time_of);
    if (fastest != trials.end() && std::ranges::find(best, fastest->config) == best.end())
      best.push_back(fastest->config);
  }
  return best;
}

void Contest::gate(ContestResult& result) {
  for (Contender& one : result.contenders) {
    if (one.outcome == Outcome::invalid) continue;
    const Trial trial = coordinator_.run(one.config, std::nullopt);
    one.outcome = trial.outcome == Outcome::passed ? Outcome::timed : trial.outcome;
    one.detail = trial.detail;
    one.errors = trial.errors;
  }
}

// Where there is no room for copies beside the kernel, there is no yardstick.
void Contest::prepare_copies(const ContestRequest& request, ContestResult& result) {
  try {
    coordinator_.prepare_copies(copy_.name, copy_problem(copy_.space, result.work.bytes), request.seed);
  } catch (const Error& error) {
    result.no_yardstick = error.what();
    result.copies.clear();
  }
}

void Contest::time(const ContestRequest& request, ContestResult& result, Objective objective) {
  FinalsRequest finals{configs_of(result.contenders), objective, request.timing, request.limits, request.seed, {}};
  if (finals.configs.empty()) return;
  if (!result.copies.empty()) finals.copies = configs_of(result.copies);
  const auto answer = coordinator_.finals(finals);
  if (const auto* why = std::get_if<std::string>(&answer)) throw failed(*why);
  const auto& report = std::get<FinalsReport>(answer);
  std::vector<Contender*> columns = timed(result);
  for (const auto& [index, failure] : report.failures) {
    columns[index]->outcome = failure.outcome;
    columns[index]->detail = failure.why;
    columns[index]->times.clear();
  }
  drop_failed_copies(result);
  if (!report.failures.empty()) return time(request, result, objective);  // without those that failed
  compare(result, objective, report.rounds);
}

}  // namespace hiptune
