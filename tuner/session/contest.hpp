#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/catalog.hpp"
#include "hiptune/dispatcher.hpp"
#include "session/coordinator.hpp"
#include "session/yardstick.hpp"

namespace hiptune {

// What a dispatcher launches for a problem.
struct Chosen {
  Choice choice = Choice::fallback;
  Config config;
  std::optional<Problem> tuned_for;  // none: the fallback
};

// Without a device: from the entries of the caches, as the dispatcher would, were there code of each.
[[nodiscard]] Chosen choose_for(const Space& space, const std::vector<TunedProblem>& entries, const Problem& problem,
                                const TargetFacts& facts);

struct ContestRequest {
  Problem problem;
  std::vector<Objective> objectives{Objective::cold, Objective::warm};
  TimingLimits timing;
  FinalsLimits limits;
  std::uint64_t seed = 0;
};

// A contender's times in one mode, and how they compare within the rounds.
struct ContestTimes {
  std::vector<double> rounds;                // ns per launch
  std::optional<Standing> against_winner;    // its time over the winner's; none where the winner failed
  std::optional<double> share_of_yardstick;  // the yardstick's time over its own; none where there is none
};

// One configuration, by all the names that it takes part under.
struct Contender {
  std::vector<std::string> names;  // "winner", "baseline block"; "copy" or "device copy"
  Config config;                   // empty: the device's own copy
  Outcome outcome = Outcome::invalid;
  std::string detail;  // why it failed
  ErrorSummary errors;
  std::map<Objective, ContestTimes> times;
};

struct ContestResult {
  Chosen chosen;
  std::vector<Contender> contenders;           // the winner, then the baselines; one that stands for several once
  std::vector<Contender> copies;               // of as many bytes
  std::map<Objective, std::size_t> yardstick;  // the fastest of the copies; none where none can be measured
  std::string no_yardstick;                    // why a copy could not take part
  Work work;

  [[nodiscard]] bool all_timed() const;  // the contenders that are valid here
};

// Fills in the times of one mode. The rounds' columns are the contenders whose outcome is `timed`, in order, then the
// copies whose outcome is.
void compare(ContestResult& result, Objective objective, const std::vector<Round>& rounds);

// Times the winner, the baselines and a copy of the same bytes side by side, in one worker, after the gate has passed
// each. Stores nothing. For one thread.
class Contest {
 public:
  // `copy` is the yardstick's kernel. `caches` are searched for the winner and for the copy's. All references must
  // outlive this object.
  Contest(Coordinator& coordinator, const Kernel& kernel, const Kernel& copy,
          std::vector<std::filesystem::path> caches);

  // A contender that fails, or a yardstick that cannot be measured, is a part of the result. Throws Error(bad_input)
  // when the problem does not fit the memory, Error(failed) when a worker dies and nobody is known to have caused it.
  [[nodiscard]] ContestResult run(const ContestRequest& request);

 private:
  void enter(const std::string& name, const Config& config, const ContestRequest& request, ContestResult& result) const;
  void enter_copies(const ContestRequest& request, ContestResult& result);
  [[nodiscard]] std::vector<Config> best_copies(const Problem& problem, const ContestRequest& request, double bytes);
  void gate(ContestResult& result);
  void prepare_copies(const ContestRequest& request, ContestResult& result);
  void time(const ContestRequest& request, ContestResult& result, Objective objective);

  Coordinator& coordinator_;
  const Kernel& kernel_;
  const Kernel& copy_;
  std::vector<std::filesystem::path> caches_;
};

}  // namespace hiptune
