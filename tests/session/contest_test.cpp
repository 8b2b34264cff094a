#include "session/contest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/fingerprint.hpp"
#include "cache/made_up.hpp"
#include "cache/store.hpp"
#include "session_bench.hpp"

// Contests with the real program as worker, on the kernel of mishaps; and their arithmetic on made-up rounds.
namespace hiptune {
namespace {

using test::edit;
using test::OwnKernels;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

Contender timed_one(const std::string& name) { return {{name}, {{"A", std::int64_t{1}}}, Outcome::timed, "", {}, {}}; }

ContestResult made_up_result() {
  ContestResult result;
  result.contenders = {timed_one("winner"), timed_one("baseline a"), timed_one("baseline b")};
  result.copies = {timed_one("copy"), timed_one("device copy")};
  return result;
}

TEST(Comparison, is_of_ratios_within_a_round_whatever_the_device_s_drift) {
  ContestResult result = made_up_result();
  std::vector<Round> rounds;
  for (const double slower : {1.0, 3.0, 2.0, 1.0, 10.0})
    rounds.push_back({20 * slower, 40 * slower, 30 * slower, 16 * slower, 10 * slower});
  compare(result, Objective::cold, rounds);
  EXPECT_EQ(result.yardstick.at(Objective::cold), 1u) << "the faster of the copies";
  const ContestTimes& winner = result.contenders[0].times.at(Objective::cold);
  EXPECT_THAT(winner.rounds, ElementsAre(20, 60, 40, 20, 200));
  EXPECT_EQ(winner.against_winner->ratio, 1);
  EXPECT_NEAR(*winner.share_of_yardstick, 0.5, 1e-12);
  EXPECT_NEAR(result.contenders[1].times.at(Objective::cold).against_winner->ratio, 2, 1e-12);
  EXPECT_NEAR(result.contenders[2].times.at(Objective::cold).against_winner->ratio, 1.5, 1e-12);
  EXPECT_NEAR(result.copies[0].times.at(Objective::cold).against_winner->ratio, 0.8, 1e-12);
  EXPECT_NEAR(*result.copies[1].times.at(Objective::cold).share_of_yardstick, 1, 1e-12);
  EXPECT_FALSE(result.contenders[0].times.contains(Objective::warm));
}

TEST(Comparison, leaves_out_who_was_not_timed) {
  ContestResult result = made_up_result();
  result.contenders[1].outcome = Outcome::wrong;
  compare(result, Objective::warm, {{20.0, 30.0, 16.0, 10.0}});
  EXPECT_TRUE(result.contenders[1].times.empty());
  EXPECT_NEAR(result.contenders[2].times.at(Objective::warm).against_winner->ratio, 1.5, 1e-12);
  EXPECT_EQ(result.yardstick.at(Objective::warm), 1u);
  EXPECT_FALSE(result.all_timed());
  result.contenders[1].outcome = Outcome::invalid;
  EXPECT_TRUE(result.all_timed()) << "what is not valid here is no failure";
}

TEST(Comparison, has_no_ratios_to_a_winner_that_failed_and_no_shares_without_a_copy) {
  ContestResult result = made_up_result();
  result.contenders[0].outcome = Outcome::crashed;
  result.copies.clear();
  compare(result, Objective::cold, {{20.0, 30.0}});
  const ContestTimes& times = result.contenders[2].times.at(Objective::cold);
  EXPECT_THAT(times.rounds, ElementsAre(30));
  EXPECT_FALSE(times.against_winner);
  EXPECT_FALSE(times.share_of_yardstick);
  EXPECT_TRUE(result.yardstick.empty());
}

class ContestOfMishaps : public testing::Test {
 protected:
  [[nodiscard]] ContestResult run(std::vector<Objective> objectives = {Objective::cold, Objective::warm}) {
    Coordinator coordinator(test::worker_settings(kernels_.path()));
    const KernelPath path({kernels_.path()}, {});
    const Kernel kernel = path.load("mishaps"), copy = path.load("copy");
    Contest contest(coordinator, kernel, copy, {folder_.path()});
    ContestRequest request;
    request.problem = problem(kernel, 500);
    request.objectives = std::move(objectives);
    // Making a large cache cold takes a while.
    request.timing.stop.min_samples = request.timing.stop.max_samples = 1;
    request.timing.warmups = 1;
    request.limits.min_rounds = request.limits.max_rounds = 3;
    return contest.run(request);
  }
  static Problem problem(const Kernel& kernel, std::int64_t elements) {
    return make_problem(kernel.space, {elements}, kernel.space.dtypes.front(), {});
  }

  // An entry as `tune` would have stored it.
  void tuned(const std::string& name, std::int64_t elements, const Assignment& config) {
    const Kernel kernel = KernelPath({kernels_.path()}, {}).load(name);
    const Target target = Coordinator(test::worker_settings(kernels_.path())).target();
    Record record = made_up::record();
    record.dimensions = {{kernel.space.dimensions.front().name, elements}};
    record.dtype = kernel.space.dtypes.front();
    record.traits = problem(kernel, elements).traits;
    record.config = make_config(kernel.space, config, "the test");
    record.ties.clear();
    record.baselines.clear();
    record.provenance.fingerprints = fingerprints_of(kernel);
    record.provenance.target = target;
    Store(folder_.path()).put(cache_key(target, name), record);
  }
  static void append(const std::filesystem::path& file, const std::string& line) {
    std::ofstream(file, std::ios::app) << line << "\n";
  }
  [[nodiscard]] std::string cache_text() const {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) text += entry.path().string() + "\n" + test::text_of_file(entry.path());
    return text;
  }
  static Assignment mishap(const std::string& name, std::int64_t block) {
    return {{"MISHAP", name}, {"BLOCK_SIZE", block}};
  }

  const OwnKernels kernels_;
  const TemporaryFolder folder_;
};

TEST_F(ContestOfMishaps, times_the_cached_winner_the_baselines_and_copies_side_by_side_and_stores_nothing) {
  tuned("mishaps", 500, mishap("none", 64));
  const std::string before = cache_text();
  const ContestResult result = run();
  EXPECT_EQ(result.chosen.choice, Choice::exact);
  ASSERT_EQ(result.contenders.size(), 2u);
  EXPECT_THAT(result.contenders[0].names, ElementsAre("winner"));
  EXPECT_EQ(result.contenders[0].config, mishap("none", 64));
  EXPECT_THAT(result.contenders[1].names, ElementsAre("baseline small"));
  ASSERT_EQ(result.copies.size(), 2u);
  EXPECT_THAT(result.copies[0].names, ElementsAre("copy"));
  EXPECT_THAT(result.copies[1].names, ElementsAre("device copy"));
  for (const auto* list : {&result.contenders, &result.copies})
    for (const Contender& one : *list)
      for (const Objective objective : {Objective::cold, Objective::warm}) {
        ASSERT_TRUE(one.times.contains(objective)) << one.names.front() << ": " << one.detail;
        EXPECT_EQ(one.times.at(objective).rounds.size(), 3u);
        EXPECT_GT(one.times.at(objective).rounds.front(), 0);
        EXPECT_TRUE(one.times.at(objective).against_winner);
        EXPECT_TRUE(one.times.at(objective).share_of_yardstick);
      }
  EXPECT_EQ(result.work.bytes, 4000);
  EXPECT_EQ(cache_text(), before);
}

TEST_F(ContestOfMishaps, one_configuration_with_several_names_is_timed_once) {
  tuned("mishaps", 500, mishap("none", 32));
  const ContestResult result = run({Objective::warm});
  ASSERT_EQ(result.contenders.size(), 1u);
  EXPECT_THAT(result.contenders[0].names, ElementsAre("winner", "baseline small"));
  EXPECT_TRUE(result.contenders[0].times.contains(Objective::warm));
  EXPECT_FALSE(result.contenders[0].times.contains(Objective::cold));
}

TEST_F(ContestOfMishaps, without_an_entry_the_fallback_is_the_winner) {
  const ContestResult result = run({Objective::warm});
  EXPECT_EQ(result.chosen.choice, Choice::fallback);
  EXPECT_FALSE(result.chosen.tuned_for);
  EXPECT_EQ(result.contenders[0].config, mishap("none", 64));
}

TEST_F(ContestOfMishaps, the_nearest_tuned_problem_lends_its_configuration) {
  tuned("mishaps", 300, mishap("none", 64));
  const ContestResult result = run({Objective::warm});
  EXPECT_EQ(result.chosen.choice, Choice::nearest);
  EXPECT_EQ(result.chosen.tuned_for->dimensions.front(), 300);
  EXPECT_EQ(result.contenders[0].config, mishap("none", 64));
}

TEST_F(ContestOfMishaps, a_winner_that_is_wrong_is_told_and_never_timed_and_the_rest_go_on) {
  tuned("mishaps", 500, mishap("wrong", 64));
  const ContestResult result = run({Objective::warm});
  EXPECT_EQ(result.contenders[0].outcome, Outcome::wrong);
  EXPECT_NE(result.contenders[0].detail, "");
  EXPECT_TRUE(result.contenders[0].times.empty());
  EXPECT_FALSE(result.contenders[1].times.at(Objective::warm).against_winner);
  EXPECT_TRUE(result.contenders[1].times.at(Objective::warm).share_of_yardstick);
  EXPECT_FALSE(result.all_timed());
}

TEST_F(ContestOfMishaps, a_winner_that_takes_its_worker_along_is_told_and_the_rest_go_on) {
  tuned("mishaps", 500, mishap("leaves", 64));
  const ContestResult result = run({Objective::warm});
  EXPECT_EQ(result.contenders[0].outcome, Outcome::crashed);
  EXPECT_EQ(result.contenders[1].outcome, Outcome::timed) << result.contenders[1].detail;
  EXPECT_TRUE(result.contenders[1].times.contains(Objective::warm));
}

// Of the two configurations of the copy kernel only the other compiles, so that it shows which one was taken.
TEST_F(ContestOfMishaps, a_copy_tuned_for_the_same_bytes_is_taken_without_trying_others) {
  edit(kernels_.path() / "copy.json", {"", "[256]", "[256, 512]"});
  append(kernels_.path() / "copy.hip", "static_assert(BLOCK_SIZE != 512);");
  const ContestResult tried = run({Objective::warm});
  ASSERT_EQ(tried.copies.size(), 2u);
  EXPECT_TRUE(tried.no_yardstick.empty());
  const Kernel copy = KernelPath({kernels_.path()}, {}).load("copy");
  Assignment config = tried.copies[0].config;
  for (auto& [name, value] : config)
    if (name == "BLOCK_SIZE") value = std::int64_t{512};
  tuned("copy", copy_problem(copy.space, 4000).dimensions.front(), config);
  const ContestResult taken = run({Objective::warm});
  ASSERT_EQ(taken.copies.size(), 1u);
  EXPECT_EQ(taken.copies[0].names.front(), "device copy");
  EXPECT_EQ(taken.yardstick.at(Objective::warm), 0u);
  EXPECT_THAT(taken.no_yardstick, HasSubstr("static assertion failed"));
  EXPECT_TRUE(taken.all_timed());
}

TEST_F(ContestOfMishaps, without_an_oracle_of_the_copy_kernel_there_is_no_yardstick_and_its_reason) {
  append(kernels_.path() / "copy.reference.hip", "this does not compile;");
  const ContestResult result = run({Objective::warm});
  EXPECT_TRUE(result.copies.empty());
  EXPECT_TRUE(result.yardstick.empty());
  EXPECT_THAT(result.no_yardstick, HasSubstr("copy.reference.hip"));
  EXPECT_TRUE(result.contenders[0].times.contains(Objective::warm));
}

}  // namespace
}  // namespace hiptune
