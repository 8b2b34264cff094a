#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/record.hpp"
#include "gate/comparison.hpp"
#include "measure/pace.hpp"
#include "measure/timer.hpp"

namespace hiptune {

// How a trial ended: in exactly one of these.
enum class Outcome {
  timed,     // right, and timed
  passed,    // right, and timing was not asked for
  compiled,  // and no more was asked for
  invalid,   // a constraint or a limit of the target forbids it
  compile_failed,
  launch_failed,
  wrong,    // rejected by the gate
  crashed,  // took its worker process down
  timed_out,
};
[[nodiscard]] std::string to_string(Outcome outcome);
[[nodiscard]] Outcome parse_outcome(const std::string& text);

struct Paces {
  double cold = 1;
  double warm = 1;
};

struct Clocks {
  std::optional<ClockSpan> cold, warm;
};

// One configuration, tried on one problem and device.
struct Trial {
  Config config;
  Outcome outcome = Outcome::invalid;
  std::string detail;              // why it failed; empty when it did not
  ErrorSummary errors;             // of the gate
  int checks = 0;                  // gate cases run
  std::int64_t threads = 0;        // threads at work: of the plan's widest launch
  std::optional<Samples> samples;  // ns per launch
  Paces pace;                      // how slow the device was meanwhile; see Pace
  Clocks clocks;                   // what its clock was, where it can be read
  bool is_steady = true;           // false: it changed or throttled, time and again
  std::string isa_hash;
  std::vector<Resources> resources;  // per entry point
  double compile_seconds = 0;

  [[nodiscard]] bool is_good() const {
    return outcome == Outcome::timed || outcome == Outcome::passed || outcome == Outcome::compiled;
  }
};

// "wrong: y[0, 3] is NaN".
[[nodiscard]] std::string text_of(const Trial& trial);

[[nodiscard]] Timing timing_of(const Samples& samples);
[[nodiscard]] const std::vector<double>& samples_for(const Samples& samples, Objective objective);
// The median of its samples at the pace that the device had at first: what trials are compared by. None: it was not
// timed.
[[nodiscard]] std::optional<double> paced_time(const Trial& trial, Objective objective);

}  // namespace hiptune
