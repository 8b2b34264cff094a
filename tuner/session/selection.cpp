#include "session/selection.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace hiptune {
namespace {

constexpr double kTieWithin = 0.01;
constexpr std::size_t kMaxTies = 8;  // the winner included

struct Timed {
  std::size_t trial;
  Summary summary;
};

std::vector<Timed> timed_trials(const std::vector<Trial>& trials, Objective objective) {
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].outcome == Outcome::timed)
      timed.push_back({i, summarize(samples_for(*trials[i].samples, objective))});
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Timed& a, const Timed& b) { return a.summary.median < b.summary.median; });
  return timed;
}

// Of those that tie, ascending: the first that is not slower in the other mode, by more than 1 % beyond two standard
// errors, than the fastest of them there.
Selection select_of(std::vector<std::size_t> tied, const std::vector<Trial>& trials, Objective objective) {
  const Objective other = objective == Objective::cold ? Objective::warm : Objective::cold;
  const auto time_of = [&](std::size_t trial) { return paced_time(trials[trial], other).value(); };
  const auto error_of = [&](std::size_t trial) {
    return summarize(samples_for(*trials[trial].samples, other)).relative_error() * time_of(trial);
  };
  const std::size_t fastest = *std::ranges::min_element(tied, {}, time_of);
  const auto is_slower = [&](std::size_t trial) {
    const double doubt = 2 * std::hypot(error_of(trial), error_of(fastest));
    return time_of(trial) > (1 + kTieWithin) * time_of(fastest) + doubt;
  };
  const auto winner = std::ranges::find_if_not(tied, is_slower);
  Selection selection{*winner, {}};
  tied.erase(winner);
  selection.ties = std::move(tied);
  return selection;
}

}  // namespace

std::optional<Selection> select(const std::vector<Trial>& trials, Objective objective) {
  const std::vector<Timed> timed = timed_trials(trials, objective);
  if (timed.empty()) return std::nullopt;
  std::vector<std::size_t> tied;
  for (const Timed& candidate : timed)
    if (tied.size() < kMaxTies && (tied.empty() || is_tie(timed.front().summary, candidate.summary, kTieWithin)))
      tied.push_back(candidate.trial);
  std::sort(tied.begin(), tied.end());
  return select_of(std::move(tied), trials, objective);
}

Selection select(const std::vector<Trial>& trials, Objective objective, const std::vector<std::size_t>& finalists,
                 const std::vector<Standing>& standings, double tie_within) {
  std::vector<std::size_t> tied;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (is_tie(standings[i], tie_within)) tied.push_back(i);
  std::stable_sort(tied.begin(), tied.end(), [&](auto a, auto b) { return standings[a].ratio < standings[b].ratio; });
  tied.resize(std::min(tied.size(), kMaxTies));
  std::sort(tied.begin(), tied.end());
  for (std::size_t& one : tied) one = finalists[one];
  return select_of(std::move(tied), trials, objective);
}

}  // namespace hiptune
