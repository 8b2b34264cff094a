#include "measure/finals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "measure/statistics.hpp"

namespace hiptune {
namespace {

constexpr double kMargin = 0.03;
constexpr std::size_t kFewestFinalists = 4, kMostFinalists = 16;
constexpr double kNormal95 = 1.96;

// Logarithms of one's time over another's, in the rounds that both took part in.
std::vector<double> log_ratios(std::span<const Round> rounds, std::size_t one, std::size_t other) {
  std::vector<double> logs;
  for (const Round& round : rounds)
    if (round[one] && round[other]) logs.push_back(std::log(*round[one] / *round[other]));
  return logs;
}

std::vector<Round> all_rounds(std::span<const std::vector<Round>> processes) {
  std::vector<Round> all;
  for (const std::vector<Round>& rounds : processes) all.insert(all.end(), rounds.begin(), rounds.end());
  return all;
}

// Somebody who took part as often as anyone: all can be compared with it.
std::size_t most_often(std::span<const Round> rounds) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < rounds.front().size(); ++i)
    if (times_in(rounds, i).size() > times_in(rounds, found).size()) found = i;
  return found;
}

std::size_t fastest_of(std::span<const Round> rounds) {
  const std::size_t reference = most_often(rounds);
  std::size_t fastest = reference;
  double smallest = 0;
  for (std::size_t i = 0; i < rounds.front().size(); ++i) {
    const std::vector<double> logs = log_ratios(rounds, i, reference);
    if (logs.empty()) throw std::logic_error("a finalist without a round");
    const double logarithm = median(logs);
    if (logarithm < smallest) smallest = logarithm, fastest = i;
  }
  return fastest;
}

// The interval between order statistics that covers the median at 95 %: the ranks are n/2 -+ 1.96 sqrt(n)/2, for the
// number of samples below the median is binomial (Conover, Practical Nonparametric Statistics, 3.2). Of few samples,
// all of their range.
Standing interval(std::vector<double> logs) {
  std::sort(logs.begin(), logs.end());
  const auto count = static_cast<double>(logs.size());
  const double below = std::floor((count - kNormal95 * std::sqrt(count)) / 2);
  const std::size_t rank = below < 1 ? 0 : static_cast<std::size_t>(below) - 1;
  return {std::exp(median(logs)), std::exp(logs[rank]), std::exp(logs[logs.size() - 1 - rank])};
}

// Processes may differ by more than their rounds tell, by where their buffers lie.
void widen_to(Standing& standing, std::span<const std::vector<Round>> processes, std::size_t one, std::size_t fastest) {
  for (const std::vector<Round>& rounds : processes) {
    const std::vector<double> logs = log_ratios(rounds, one, fastest);
    if (logs.empty()) continue;
    standing.lower = std::min(standing.lower, std::exp(median(logs)));
    standing.upper = std::max(standing.upper, std::exp(median(logs)));
  }
}

}  // namespace

std::vector<std::size_t> choose_finalists(std::span<const std::optional<double>> times) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i]) order.push_back(i);
  if (order.empty()) return order;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return *times[a] < *times[b]; });
  const double limit = *times[order.front()] * (1 + kMargin);
  const auto near =
      static_cast<std::size_t>(std::ranges::count_if(order, [&](std::size_t i) { return *times[i] <= limit; }));
  order.resize(std::min(order.size(), std::clamp(near, kFewestFinalists, kMostFinalists)));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<double> times_in(std::span<const Round> rounds, std::size_t finalist) {
  std::vector<double> times;
  for (const Round& round : rounds)
    if (round[finalist]) times.push_back(*round[finalist]);
  return times;
}

std::vector<std::size_t> outlier_rounds(std::span<const Round> rounds, std::size_t finalist) {
  std::vector<std::size_t> taken, found;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (rounds[i][finalist]) taken.push_back(i);
  for (const std::size_t i : outliers(times_in(rounds, finalist))) found.push_back(taken[i]);
  return found;
}

std::vector<Standing> standings(std::span<const std::vector<Round>> processes) {
  const std::vector<Round> rounds = all_rounds(processes);
  if (rounds.empty()) throw std::logic_error("finals without a round");
  return standings_against(fastest_of(rounds), processes);
}

std::vector<Standing> standings_against(std::size_t reference, std::span<const std::vector<Round>> processes) {
  const std::vector<Round> rounds = all_rounds(processes);
  if (rounds.empty()) throw std::logic_error("finals without a round");
  std::vector<Standing> all(rounds.front().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == reference) continue;
    all[i] = interval(log_ratios(rounds, i, reference));
    widen_to(all[i], processes, i, reference);
  }
  return all;
}

bool is_tie(const Standing& standing, double within) {
  const bool not_shown_slower = standing.lower <= 1 && standing.ratio <= 1 + within;
  return not_shown_slower || standing.upper <= 1 + within;
}

bool is_slower(const Standing& standing, double within) { return standing.lower > 1 + within; }

Finals::Finals(std::size_t finalists, const FinalsLimits& limits, std::uint64_t seed, Clock clock)
    : limits_(limits), random_(seed), clock_(std::move(clock)), started_(clock_()), is_out_(finalists, false) {}

std::vector<std::size_t> Finals::next_order() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < is_out_.size(); ++i)
    if (!is_out_[i]) order.push_back(i);
  std::shuffle(order.begin(), order.end(), random_);
  return order;
}

void Finals::add(Round round) {
  rounds_.push_back(std::move(round));
  if (static_cast<int>(rounds_.size()) < limits_.min_rounds) return;
  const std::vector<Standing> all = standings({&rounds_, 1});
  is_decided_ = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    is_out_[i] = is_out_[i] || is_slower(all[i], limits_.tie_within);
    is_decided_ = is_decided_ && (is_out_[i] || all[i].upper <= 1 + limits_.tie_within);
  }
}

bool Finals::done() const {
  constexpr int kFewest = 3;
  const auto count = static_cast<int>(rounds_.size());
  if (count >= limits_.max_rounds || (count >= limits_.min_rounds && is_decided_)) return true;
  return count >= std::min(kFewest, limits_.min_rounds) && clock_() - started_ >= limits_.budget;
}

}  // namespace hiptune
