#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "measure/stop_rule.hpp"

// The few best of a search are timed side by side, round by round, each once: what slows the device for a while slows
// all alike, and only ratios within a round count. All of this is arithmetic; whoever measures gives the times.
namespace hiptune {

// Nanoseconds per launch of each finalist; none: it took no part.
using Round = std::vector<std::optional<double>>;

// A finalist against the fastest: the median over rounds of its time over the fastest's, with an interval that covers
// it at 95 %. The fastest itself has 1, 1, 1.
struct Standing {
  double ratio = 1;
  double lower = 1;
  double upper = 1;
};

struct FinalsLimits {
  int min_rounds = 12;       // before anything is decided
  int max_rounds = 150;      // of one process
  Nanoseconds budget{2e9};   // wall time of one process; three rounds are run all the same
  double tie_within = 0.01;  // how much slower a tie may be
};

// Those that may be the fastest after all: within 3 % of the fastest, but at least 4, for that one may have been lucky,
// and at most 16, the fastest ones. Indices into `times`, ascending. None where nothing was timed.
[[nodiscard]] std::vector<std::size_t> choose_finalists(std::span<const std::optional<double>> times);

// One finalist's times.
[[nodiscard]] std::vector<double> times_in(std::span<const Round> rounds, std::size_t finalist);

// The rounds in which that one's time is an outlier among its own, ascending.
[[nodiscard]] std::vector<std::size_t> outlier_rounds(std::span<const Round> rounds, std::size_t finalist);

// From the rounds of each process. Intervals are of order statistics, so that outliers and the shape of the noise do
// not matter, and wide enough for every process's own median. Requires a round in which everybody took part.
[[nodiscard]] std::vector<Standing> standings(std::span<const std::vector<Round>> processes);

// The same against `reference`, who is not asked to be the fastest. Requires somebody's round with it for each.
[[nodiscard]] std::vector<Standing> standings_against(std::size_t reference,
                                                      std::span<const std::vector<Round>> processes);

// Whether it ties with the fastest: not shown to be slower at all, or shown to be slower by less than `within`.
[[nodiscard]] bool is_tie(const Standing& standing, double within);
[[nodiscard]] bool is_slower(const Standing& standing, double within);

// The finals of one process: who takes part in the next round, and when enough is known.
class Finals {
 public:
  Finals(std::size_t finalists, const FinalsLimits& limits, std::uint64_t seed, Clock clock);

  // In a new order every time, so that nobody always follows the same. Those known to be slower are left out.
  [[nodiscard]] std::vector<std::size_t> next_order();
  void add(Round round);
  [[nodiscard]] bool done() const;
  [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_; }

 private:
  FinalsLimits limits_;
  std::mt19937_64 random_;
  Clock clock_;
  Nanoseconds started_;
  std::vector<bool> is_out_;
  bool is_decided_ = false;  // everybody left ties
  std::vector<Round> rounds_;
};

}  // namespace hiptune
