#include "session/trial.hpp"

#include <array>
#include <stdexcept>

#include "hiptune/error.hpp"
#include "measure/statistics.hpp"

namespace hiptune {
namespace {

struct OutcomeName {
  Outcome outcome;
  const char* name;
};
constexpr std::array<OutcomeName, 9> kOutcomes{{{Outcome::timed, "timed"},
                                                {Outcome::passed, "passed"},
                                                {Outcome::compiled, "compiled"},
                                                {Outcome::invalid, "invalid"},
                                                {Outcome::compile_failed, "compile_failed"},
                                                {Outcome::launch_failed, "launch_failed"},
                                                {Outcome::wrong, "wrong"},
                                                {Outcome::crashed, "crashed"},
                                                {Outcome::timed_out, "timed_out"}}};

TimingSummary to_summary(const std::vector<double>& samples) {
  const Summary summary = summarize(samples);
  return {summary.median, summary.spread, summary.samples};
}

}  // namespace

std::string to_string(Outcome outcome) {
  for (const OutcomeName& entry : kOutcomes)
    if (entry.outcome == outcome) return entry.name;
  throw std::logic_error("an outcome without a name");
}

Outcome parse_outcome(const std::string& text) {
  for (const OutcomeName& entry : kOutcomes)
    if (entry.name == text) return entry.outcome;
  throw bad_input("no such outcome: " + text);
}

std::string text_of(const Trial& trial) {
  return trial.detail.empty() ? to_string(trial.outcome) : to_string(trial.outcome) + ": " + trial.detail;
}

Timing timing_of(const Samples& samples) { return {to_summary(samples.cold), to_summary(samples.warm)}; }

const std::vector<double>& samples_for(const Samples& samples, Objective objective) {
  return objective == Objective::cold ? samples.cold : samples.warm;
}

std::optional<double> paced_time(const Trial& trial, Objective objective) {
  if (trial.outcome != Outcome::timed) return std::nullopt;
  return median(samples_for(*trial.samples, objective)) /
         (objective == Objective::cold ? trial.pace.cold : trial.pace.warm);
}

}  // namespace hiptune
