#include "session/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/fingerprint.hpp"
#include "hiptune/error.hpp"
#include "session/journal.hpp"
#include "session_bench.hpp"

// A whole tuning run with the real program as worker, on the kernel of mishaps held to those that do no harm.
namespace hiptune {
namespace {

using test::edit;
using test::OwnKernels;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

class TuningMishaps : public testing::Test {
 protected:
  TuneResult tune(const Assignment& fixed) { return tuning_.run(request(fixed)); }

  [[nodiscard]] TuneRequest request(const Assignment& fixed) const {
    TuneRequest request;
    request.problem = make_problem(kernel_.space, {500}, Dtype::f32, {});
    request.fixed = restriction_to(fixed);
    request.seed = 42;
    // Making a large cache cold takes a while.
    request.limits.stop.min_samples = request.limits.stop.max_samples = 1;
    request.limits.warmups = 1;
    request.processes = 1;
    request.finals.min_rounds = request.finals.max_rounds = 2;
    return request;
  }

  [[nodiscard]] std::vector<Record> stored() const { return store_.load(key_).records; }

  // Puts `record` into the cache with its time multiplied, as if it had been measured so just now.
  void put(Record record, double factor) {
    record.timing.cold.median_ns *= factor;
    record.timing.warm.median_ns *= factor;
    record.provenance.date = utc_now();
    store_.put(key_, record);
  }

  static Assignment harmless(std::int64_t block) { return {{"MISHAP", std::string("none")}, {"BLOCK_SIZE", block}}; }

  const OwnKernels kernels_;
  const TemporaryFolder folder_;
  const KernelPath path_{{kernels_.path()}, {}};
  const Kernel kernel_ = path_.load("mishaps");
  const Kernel copy_ = path_.load("copy");
  Coordinator coordinator_{test::worker_settings(kernels_.path())};
  Store store_{folder_.path()};
  Journal journal_{folder_.path() / "journal", "mishaps"};
  Tuning tuning_{coordinator_, kernel_, copy_, store_, journal_, {}};
  const CacheKey key_ = cache_key(coordinator_.target(), "mishaps");
};

TEST_F(TuningMishaps, stores_a_record_with_all_that_it_was_made_from) {
  const TuneResult result = tune({{"MISHAP", std::string("none")}});
  ASSERT_EQ(result.storing, Storing::stored);
  ASSERT_EQ(result.trials.size(), 2u);
  ASSERT_EQ(stored().size(), 1u);
  const Record record = stored().front();
  EXPECT_EQ(to_json_line(record), to_json_line(*result.record));
  EXPECT_EQ(problem_key(record), "elements=500 dtype=f32");
  EXPECT_EQ(record.config, result.trials[result.selection->winner].config);
  EXPECT_EQ(record.timing.cold.samples, 2) << "one for each round of the finals";
  EXPECT_EQ(record.timing.warm.samples, 1);
  EXPECT_GT(record.timing.cold.median_ns, 0);
  EXPECT_EQ(record.work_bytes, 4000);
  ASSERT_TRUE(record.yardstick);
  EXPECT_THAT(record.yardstick->name, testing::AnyOf("device copy", testing::StartsWith("copy BLOCK_SIZE=256")));
  EXPECT_GT(record.yardstick->timing.cold.median_ns, 0);
  ASSERT_EQ(record.baselines.size(), 1u);
  EXPECT_EQ(record.baselines[0].name, "small");
  EXPECT_EQ(record.baselines[0].outcome, "timed");
  EXPECT_TRUE(record.baselines[0].timing);
  EXPECT_GT(record.gate.checks, 5);
  EXPECT_EQ(record.gate.max_absolute, 0);
  EXPECT_EQ(record.provenance.fingerprints, fingerprints_of(kernel_));
  ASSERT_EQ(record.provenance.compilers.size(), 1u);
  EXPECT_EQ(record.provenance.compilers[0].version, coordinator_.compiler_version());
  EXPECT_FALSE(record.provenance.compilers[0].isa_hash.empty());
  EXPECT_EQ(record.provenance.compilers[0].resources.size(), 1u);
  EXPECT_EQ(record.provenance.target.id, "host");
  EXPECT_EQ(record.provenance.seed, 42u);
  EXPECT_EQ(record.provenance.hiptune_version, HIPTUNE_VERSION);
}

TEST_F(TuningMishaps, times_the_finalists_side_by_side_in_fresh_processes) {
  TuneRequest two = request({{"MISHAP", std::string("none")}});
  two.processes = 2;
  const TuneResult result = tuning_.run(two);
  ASSERT_EQ(result.finals.size(), 2u);
  double best = 2;
  for (const FinalResult& one : result.finals) {
    EXPECT_EQ(one.process_medians.size(), 2u);
    EXPECT_EQ(result.trials[one.trial].samples->cold.size(), 4u);
    EXPECT_LE(one.standing.lower, one.standing.upper);
    best = std::min(best, one.standing.ratio);
  }
  EXPECT_EQ(best, 1);
}

TEST_F(TuningMishaps, has_no_finals_where_one_variant_is_all_there_is) {
  const TuneResult result = tune(harmless(32));
  EXPECT_TRUE(result.finals.empty());
  EXPECT_EQ(result.selection->winner, 0u);
}

TEST_F(TuningMishaps, writes_down_every_trial_and_tries_none_twice) {
  (void)tune({{"MISHAP", std::string("none")}});
  std::vector<std::string> kinds;
  std::istringstream lines(test::text_of_file(journal_.file()));
  for (std::string line; std::getline(lines, line);)
    kinds.push_back(nlohmann::ordered_json::parse(line).items().begin().key());
  // The baseline is one of the two configurations.
  EXPECT_THAT(kinds, ElementsAre("tune", "yardstick", "trial", "trial", "precheck", "precheck", "finals", "stored"));
}

TEST_F(TuningMishaps, goes_on_after_variants_that_crash_and_stores_none_that_is_wrong) {
  const TuneResult result = tune({{"BLOCK_SIZE", std::int64_t{32}}, {"MISHAP", std::string("wrong")}});
  EXPECT_EQ(result.storing, Storing::none);
  EXPECT_FALSE(result.selection);
  EXPECT_FALSE(result.record);
  EXPECT_TRUE(stored().empty());
  const TuneResult crashing = tune({{"MISHAP", std::string("leaves")}});
  EXPECT_EQ(crashing.trials.size(), 2u);
  for (const Trial& trial : crashing.trials) EXPECT_EQ(trial.outcome, Outcome::crashed);
  EXPECT_EQ(crashing.storing, Storing::none);
  EXPECT_EQ(tune(harmless(32)).storing, Storing::stored);
}

TEST_F(TuningMishaps, in_part_does_not_replace_a_faster_entry_that_is_fresh) {
  put(*tune(harmless(64)).record, 1e-6);
  const std::string before = to_json_line(stored().at(0));
  const TuneResult part = tune(harmless(32));
  EXPECT_EQ(part.storing, Storing::kept);
  EXPECT_EQ(to_json_line(*part.record), before);
  EXPECT_EQ(to_json_line(stored().at(0)), before);
}

TEST_F(TuningMishaps, in_part_replaces_a_slower_entry) {
  put(*tune(harmless(64)).record, 1e6);
  EXPECT_EQ(tune(harmless(32)).storing, Storing::stored);
  EXPECT_EQ(to_string(stored().at(0).config), "MISHAP=none BLOCK_SIZE=32");
}

TEST_F(TuningMishaps, in_part_replaces_a_faster_entry_that_is_stale) {
  Record stale = *tune(harmless(64)).record;
  stale.provenance.fingerprints.source = std::string(32, '0');
  put(stale, 1e-6);
  EXPECT_EQ(tune(harmless(32)).storing, Storing::stored);
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(stored()[0].provenance.fingerprints, fingerprints_of(kernel_));
}

TEST_F(TuningMishaps, goes_on_with_the_device_s_copy_where_the_copy_kernel_s_oracle_is_broken) {
  edit(kernels_.path() / "copy.reference.hip", {"", "extern", "nothing; extern"});
  const TuneResult result = tune(harmless(32));
  EXPECT_EQ(result.storing, Storing::stored);
  ASSERT_TRUE(result.yardstick);
  EXPECT_EQ(result.yardstick->name, "device copy");
  EXPECT_EQ(stored().at(0).yardstick->name, "device copy");
}

// More than any device holds, and than the copy kernel's dimension allows.
TEST_F(TuningMishaps, goes_on_without_a_yardstick_and_says_why) {
  Kernel vast = kernel_;
  vast.space.work_bytes = {"2^52", {"mishaps.json", "/work/bytes"}};
  Tuning tuning(coordinator_, vast, copy_, store_, journal_, {});
  const TuneResult result = tuning.run(request(harmless(32)));
  EXPECT_EQ(result.storing, Storing::stored);
  EXPECT_FALSE(result.yardstick);
  EXPECT_THAT(result.no_yardstick, testing::AllOf(HasSubstr("cannot allocate"), HasSubstr("--elements")));
  EXPECT_FALSE(stored().at(0).yardstick);
}

TEST_F(TuningMishaps, checks_its_own_problem_before_the_yardstick) {
  edit(kernels_.path() / "mishaps.reference.hip", {"", "y[i] = 2.0", "nothing; y[i] = 2.0"});
  EXPECT_THROW((void)tune(harmless(32)), Error);
  EXPECT_THAT(test::text_of_file(journal_.file()), testing::Not(HasSubstr("yardstick")));
}

TEST_F(TuningMishaps, tells_of_every_problem_its_yardstick_and_trials) {
  std::vector<std::string> told;
  const auto say = [&](const Problem& problem, const std::string& what) {
    told.push_back(what + " " + std::to_string(problem.dimensions[0]));
  };
  Tuning tuning(coordinator_, kernel_, copy_, store_, journal_,
                {[&](const Problem& problem, const Extent& extent, std::size_t candidates) {
                   EXPECT_EQ(extent.strategy, "exhaustive");
                   EXPECT_EQ(candidates, 1U);
                   say(problem, "extent");
                 },
                 [&](const Problem& problem, const MeasuredYardstick&) { say(problem, "yardstick"); },
                 [&](const Problem& problem, const Trial&, const std::string&) { say(problem, "trial"); }});
  TuneRequest one = request(harmless(32));
  (void)tuning.run(one);
  (void)tuning.run(one);
  one.problem.dimensions = {300};
  (void)tuning.run(one);
  EXPECT_THAT(told, ElementsAre("extent 500", "yardstick 500", "trial 500", "extent 500", "yardstick 500", "trial 500",
                                "extent 300", "yardstick 300", "trial 300"));
}

TEST_F(TuningMishaps, says_why_no_configuration_is_valid) {
  Kernel narrow = kernel_;
  narrow.space.constraints.push_back({{"BLOCK_SIZE > 64", {"mishaps.json", "/constraints/0"}}, "too few threads"});
  Tuning tuning(coordinator_, narrow, copy_, store_, journal_, {});
  try {
    (void)tuning.run(request({}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("no valid configuration for elements=500"));
    EXPECT_THAT(error.what(), HasSubstr("too few threads"));
  }
}

class Prechecking : public TuningMishaps {
 protected:
  TuneResult tune_mishap(const std::string& mishap, Prechecked precheck) {
    TuneRequest wanted = request({{"MISHAP", mishap}, {"BLOCK_SIZE", std::int64_t{64}}});
    wanted.precheck = precheck;
    return tuning_.run(wanted);
  }
};

TEST_F(Prechecking, passes_finalists_baselines_and_the_fallback_and_remembers_it) {
  const TuneResult first = tune(harmless(64));
  ASSERT_EQ(first.storing, Storing::stored);
  EXPECT_EQ(stored().front().gate.precheck, "passed");
  ASSERT_EQ(first.prechecks.size(), 2u) << "the baseline, and the winner, which is the fallback";
  for (const PrecheckResult& one : first.prechecks) {
    EXPECT_EQ(one.verdict.outcome, PrecheckVerdict::Outcome::passed) << one.verdict.detail;
    EXPECT_FALSE(one.remembered);
  }
  for (const PrecheckResult& one : tune(harmless(64)).prechecks) EXPECT_TRUE(one.remembered);
}

TEST_F(Prechecking, keeps_what_only_the_cpu_sees_out_of_the_cache) {
  const TuneResult result = tune_mishap("hidden", Prechecked::winners);
  EXPECT_EQ(result.storing, Storing::none);
  EXPECT_TRUE(stored().empty());
  ASSERT_EQ(result.trials.size(), 1u);
  EXPECT_EQ(result.trials[0].outcome, Outcome::wrong);
  EXPECT_FALSE(result.trials[0].samples);
  EXPECT_THAT(result.trials[0].detail,
              testing::AllOf(HasSubstr("precheck on the CPU: "), HasSubstr("writes x, which is an input"),
                             HasSubstr("mishaps.hip:41")));
}

TEST_F(Prechecking, takes_a_crash_at_a_page_for_an_answer) {
  const TuneResult result = tune_mishap("beyond", Prechecked::winners);
  EXPECT_EQ(result.storing, Storing::none);
  EXPECT_THAT(result.trials.at(0).detail,
              testing::AllOf(HasSubstr("precheck: inaccessible pages behind buffers"), HasSubstr("signal 11")));
}

TEST_F(Prechecking, of_all_comes_before_anything_runs_on_the_device) {
  TuneRequest wanted = request({{"MISHAP", std::string("hidden")}});
  wanted.precheck = Prechecked::all;
  const TuneResult result = tuning_.run(wanted);
  ASSERT_EQ(result.trials.size(), 2u);
  for (const Trial& trial : result.trials) {
    EXPECT_EQ(trial.outcome, Outcome::wrong);
    EXPECT_EQ(trial.checks, 0) << "the gate on the device was not reached";
  }
  EXPECT_EQ(result.prechecks.size(), 3u) << "and the baseline";
}

TEST_F(Prechecking, of_none_stores_what_the_gate_passed_and_says_so) {
  const TuneResult result = tune_mishap("hidden", Prechecked::none);
  ASSERT_EQ(result.storing, Storing::stored);
  EXPECT_EQ(stored().front().gate.precheck, "not done");
  EXPECT_TRUE(result.prechecks.empty());
}

TEST_F(Prechecking, takes_an_entry_that_it_proves_wrong_out_of_the_cache) {
  ASSERT_EQ(tune_mishap("hidden", Prechecked::none).storing, Storing::stored);
  const Record other = *tune_mishap("hidden", Prechecked::none).record;
  const TuneResult result = tune_mishap("hidden", Prechecked::winners);
  EXPECT_EQ(result.storing, Storing::none);
  ASSERT_EQ(result.removed.size(), 1u);
  EXPECT_EQ(result.removed[0].config, other.config);
  EXPECT_TRUE(stored().empty());
  ASSERT_EQ(tune(harmless(64)).storing, Storing::stored);
  EXPECT_TRUE(tune_mishap("hidden", Prechecked::winners).removed.empty());
  EXPECT_EQ(stored().size(), 1u) << "that of another configuration stays";
}

TEST_F(Prechecking, stores_nothing_where_the_fallback_is_wrong) {
  edit(kernels_.path() / "mishaps.json",
       {"", "\"fallback\": {\"MISHAP\": \"none\"", "\"fallback\": {\"MISHAP\": \"hidden\""});
  const Kernel edited = path_.load("mishaps");
  Tuning tuning(coordinator_, edited, copy_, store_, journal_, {});
  const TuneResult result = tuning.run(request(harmless(64)));
  EXPECT_EQ(result.storing, Storing::none);
  EXPECT_THAT(result.refusal, testing::AllOf(HasSubstr("the fallback, MISHAP=hidden"), HasSubstr("which is an input")));
  EXPECT_TRUE(stored().empty());
}

TEST_F(TuningMishaps, plants_faults_first_where_that_is_asked_for) {
  std::vector<CaughtFault> faults;
  Tuning tuning(coordinator_, kernel_, copy_, store_, journal_,
                {.self_test = [&](const Problem&, const std::vector<CaughtFault>& caught) { faults = caught; }});
  TuneRequest wanted = request(harmless(64));
  wanted.self_test = true;
  EXPECT_EQ(tuning.run(wanted).storing, Storing::stored);
  EXPECT_GT(faults.size(), 8u);
  for (const CaughtFault& one : faults) EXPECT_FALSE(one.caught.empty()) << one.fault;
}

TEST(SelfTest, wants_every_planted_fault_caught_and_some_planted) {
  EXPECT_NO_THROW(require_caught({{"one", "here", "as wrong"}}));
  EXPECT_THROW(require_caught({}), Error);
  try {
    require_caught({{"one", "here", "as wrong"}, {"another", "there", ""}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("nothing is stored"), HasSubstr("another (there)"),
                                             testing::Not(HasSubstr("one (here)"))));
  }
}

}  // namespace
}  // namespace hiptune
