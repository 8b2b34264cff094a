#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/record.hpp"
#include "gate/comparison.hpp"
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

// One configuration, tried on one problem and device.
struct Trial {
  Config config;
  Outcome outcome = Outcome::invalid;
  std::string detail;              // why it failed; empty when it did not
  ErrorSummary errors;             // of the gate
  int checks = 0;                  // gate cases run
  std::int64_t threads = 0;        // threads at work: of the plan's widest launch
  std::optional<Samples> samples;  // ns per launch
  std::string isa_hash;
  std::vector<Resources> resources;  // per entry point
  double compile_seconds = 0;

  [[nodiscard]] bool is_good() const {
    return outcome == Outcome::timed || outcome == Outcome::passed || outcome == Outcome::compiled;
  }
};

[[nodiscard]] Timing timing_of(const Samples& samples);
[[nodiscard]] const std::vector<double>& samples_for(const Samples& samples, Objective objective);

}  // namespace hiptune
