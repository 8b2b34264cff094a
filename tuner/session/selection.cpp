#include "session/selection.hpp"

#include <algorithm>

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

}  // namespace

std::optional<Selection> select(const std::vector<Trial>& trials, Objective objective) {
  const std::vector<Timed> timed = timed_trials(trials, objective);
  if (timed.empty()) return std::nullopt;
  std::vector<std::size_t> tied;
  for (const Timed& candidate : timed)
    if (tied.size() < kMaxTies && (tied.empty() || is_tie(timed.front().summary, candidate.summary, kTieWithin)))
      tied.push_back(candidate.trial);
  std::sort(tied.begin(), tied.end());
  return Selection{tied.front(), {tied.begin() + 1, tied.end()}};
}

Selection select(const std::vector<std::size_t>& finalists, const std::vector<Standing>& standings, double tie_within) {
  std::vector<std::size_t> tied;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (is_tie(standings[i], tie_within)) tied.push_back(i);
  std::stable_sort(tied.begin(), tied.end(), [&](auto a, auto b) { return standings[a].ratio < standings[b].ratio; });
  tied.resize(std::min(tied.size(), kMaxTies));
  std::sort(tied.begin(), tied.end());
  Selection selection{finalists[tied.front()], {}};
  for (std::size_t i = 1; i < tied.size(); ++i) selection.ties.push_back(finalists[tied[i]]);
  return selection;
}

}  // namespace hiptune
