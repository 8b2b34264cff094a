#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store.hpp"
#include "problem/enumeration.hpp"
#include "search/extent.hpp"
#include "session/coordinator.hpp"
#include "session/journal.hpp"
#include "session/selection.hpp"
#include "session/yardstick.hpp"

namespace hiptune {

// Which configurations are checked on the CPU before they are stored, or timed.
enum class Prechecked {
  none,
  winners,  // finalists, baselines and the fallback
  all,      // and every other, before it runs on the device
};

struct TuneRequest {
  Problem problem;
  Restriction fixed;                      // tunables held to some of their values
  std::optional<std::string> strategy;    // none: by the number of valid configurations
  std::optional<std::size_t> max_trials;  // none: all, or as many as `extent_of_search` says
  std::uint64_t seed = 0;
  Objective objective = Objective::cold;
  TimingLimits limits;
  int processes = 3;  // of the finals
  bool self_test = false;
  Prechecked precheck = Prechecked::winners;
  FinalsLimits finals;

  // The number of samples was given, for all variants alike.
  [[nodiscard]] bool is_exact() const { return limits.stop.min_samples == limits.stop.max_samples; }
};

// How a finalist did.
struct FinalResult {
  std::size_t trial = 0;  // index into the trials
  Standing standing;
  std::vector<double> process_medians;  // ns per launch, one for each process
};

struct PrecheckResult {
  Config config;
  PrecheckVerdict verdict;
  bool remembered = false;  // passed in an earlier run
};

struct MeasuredBaseline {
  std::string name;
  Trial trial;
};

enum class Storing {
  stored,
  kept,  // a partial run (tunables held, trials limited) does not replace a faster entry of a full one
  none,  // nothing usable came out
};

struct TuneResult {
  Invalid invalid;             // not tried
  Extent extent;               // of the search
  std::size_t candidates = 0;  // valid configurations, of which it tried those below
  std::vector<Trial> trials;   // of the search, in the space's order
  std::vector<MeasuredBaseline> baselines;
  std::optional<MeasuredYardstick> yardstick;
  std::string no_yardstick;            // why there is none
  std::vector<FinalResult> finals;     // none where a single variant was fast enough, or no process got through them
  std::optional<Selection> selection;  // into trials
  std::optional<Record> record;        // what was stored, or the entry that was kept
  std::vector<PrecheckResult> prechecks;
  std::string refusal;          // why nothing is stored although there is a winner
  std::vector<Record> removed;  // entries of this very problem whose configuration turned out wrong
  Storing storing = Storing::none;
  Work work;
};

// Called as results arrive. All may be empty.
struct TuneListener {
  std::function<void(const Problem&, const Extent&, std::size_t candidates)> extent{};  // before anything runs
  std::function<void(const Problem&, const MeasuredYardstick&)> yardstick{};  // not called where there is none
  std::function<void(const Problem&, const Trial&, const std::string& baseline)> trial{};  // baseline: a name, or empty
  std::function<void(const Problem&, const std::vector<CaughtFault>&)> self_test{};
};

struct YardstickSearch;

// Tunes one kernel on one device: yardstick, baselines, search, selection, record. For one thread.
class Tuning {
 public:
  // `copy` is the yardstick's kernel. All references must outlive this object.
  Tuning(Coordinator& coordinator, const Kernel& kernel, const Kernel& copy, Store& store, Journal& journal,
         TuneListener listener);

  // Throws Error(bad_input) when no configuration is valid, the cache cannot be written, or the problem is too large;
  // Error(failed) when the self-test was asked for and a planted fault survives it.
  // A yardstick that cannot be measured is no error: the result and the record have none.
  [[nodiscard]] TuneResult run(const TuneRequest& request);

 private:
  void prepare(const TuneRequest& request);
  void run_self_test(const TuneRequest& request);
  void take_yardstick(const TuneRequest& request, TuneResult& result);
  [[nodiscard]] YardstickSearch measure_yardstick(const TuneRequest& request, double bytes);
  void try_copy_kernel(const TuneRequest& request, double bytes, YardstickSearch& search);
  void run_baselines(const TuneRequest& request, TuneResult& result);
  void choose_extent(const TuneRequest& request, TuneResult& result);
  void search(const TuneRequest& request, const std::vector<Config>& candidates, TuneResult& result);
  // What runs next, as far as it has not run: the baselines from `first` on, then `more`.
  void expect(std::size_t first_baseline, const std::vector<Config>& more);
  [[nodiscard]] const Trial& run_once(const Config& config, const TuneRequest& request, const std::string& baseline);
  void note_time(const Trial& trial, Objective objective);
  // A variant twice as slow as the fastest so far is not worth many samples.
  [[nodiscard]] TimingLimits limits_for_search(const TuneRequest& request) const;
  // Finals among the fastest, then the selection.
  void decide(const TuneRequest& request, TuneResult& result);
  // The rounds of each process that got through them. A finalist that fails takes its failure as its trial's outcome
  // and ends them: none.
  [[nodiscard]] std::optional<std::vector<std::vector<Round>>> run_finals(const TuneRequest& request,
                                                                          const std::vector<std::size_t>& finalists,
                                                                          TuneResult& result);
  static void reject(Trial& trial, const FinalsFailure& failure);
  static void take_finals(const TuneRequest& request, const std::vector<std::size_t>& finalists,
                          const std::vector<std::vector<Round>>& processes, TuneResult& result);
  // Of what was prechecked before, the verdict is known.
  [[nodiscard]] const PrecheckVerdict& precheck(const Config& config, const TuneRequest& request);
  void precheck_all(const std::vector<Config>& configs, const TuneRequest& request);
  // Whether all of them may be stored; those that may not are called wrong.
  [[nodiscard]] bool precheck_finalists(const TuneRequest& request, const std::vector<std::size_t>& finalists,
                                        TuneResult& result);
  [[nodiscard]] std::string precheck_words(const Config& config) const;
  void precheck_rest(const TuneRequest& request, TuneResult& result);
  // Takes what this run proved wrong out of the cache, where an earlier one had stored it.
  void remove_disproved(const TuneRequest& request, TuneResult& result);
  void store_winner(const TuneRequest& request, TuneResult& result);
  [[nodiscard]] Record make_record(const TuneRequest& request, const TuneResult& result) const;
  [[nodiscard]] bool tries_a_part(const TuneRequest& request, const TuneResult& result) const;

  Coordinator& coordinator_;
  const Kernel& kernel_;
  const Kernel& copy_;
  Store& store_;
  Journal& journal_;
  TuneListener listener_;
  std::map<std::string, Trial> done_;                // of the current problem, by configuration
  const Trial* fastest_ = nullptr;                   // of those
  bool is_prepared_ = false;                         // the current problem, in the worker
  std::map<std::string, PrecheckResult> prechecks_;  // likewise
  std::map<double, MeasuredYardstick> yardsticks_;   // by bytes
};

// Throws Error(failed), naming them, where faults survived, or where none was planted.
void require_caught(const std::vector<CaughtFault>& faults);

}  // namespace hiptune
