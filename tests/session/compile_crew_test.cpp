#include "session/compile_crew.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <stdexcept>

#include "hiptune/error.hpp"

// A crew of made-up compilers.
namespace hiptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CompileOrder order(std::int64_t block, std::int64_t rows = 1) {
  return {"k", {{rows}, Dtype::f32, {}}, {{"BLOCK", block}}, std::nullopt};
}

std::vector<CompileOrder> orders(std::int64_t first, std::int64_t last, std::int64_t rows = 1) {
  std::vector<CompileOrder> list;
  for (std::int64_t block = first; block <= last; ++block) list.push_back(order(block, rows));
  return list;
}

std::int64_t block_of(const CompileOrder& one) { return std::get<std::int64_t>(one.config.front().second); }

Trial compiled(const CompileOrder& one) {
  Trial trial;
  trial.config = one.config;
  trial.outcome = Outcome::compiled;
  trial.compile_seconds = static_cast<double>(block_of(one));
  return trial;
}

// What was asked of it, in the order in which that ended.
class Notes {
 public:
  void add(const CompileOrder& one) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block_of(one));
    changed_.notify_all();
  }
  [[nodiscard]] std::vector<std::int64_t> sorted() {
    const std::lock_guard lock(mutex_);
    std::vector<std::int64_t> blocks = blocks_;
    std::ranges::sort(blocks);
    return blocks;
  }
  // Gives up after a minute: then the test is to say what is missing, and not to hang.
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(1), [&] { return blocks_.size() >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int64_t> blocks_;
};

class CompileCrewTest : public testing::Test {
 protected:
  [[nodiscard]] std::function<CompileStep(std::stop_token)> noting() {
    return [this](const std::stop_token&) -> CompileStep {
      ++hired_;
      return [this](const CompileOrder& one) {
        notes_.add(one);
        return compiled(one);
      };
    };
  }
  Notes notes_;
  std::atomic<int> hired_{0};
};

TEST_F(CompileCrewTest, gives_what_is_asked_for_whether_it_was_expected_or_not) {
  CompileCrew crew(3, CompilePace::ahead, noting());
  crew.expect(orders(1, 4));
  for (const std::int64_t block : {1, 2, 9, 4, 3}) {
    const auto trial = crew.take(order(block));
    ASSERT_TRUE(trial);
    EXPECT_EQ(trial->config, order(block).config);
    EXPECT_EQ(trial->compile_seconds, static_cast<double>(block));
  }
  EXPECT_THAT(notes_.sorted(), ElementsAre(1, 2, 3, 4, 9)) << "each once";
}

TEST_F(CompileCrewTest, runs_ahead_by_as_many_results_as_the_window_holds) {
  CompileCrew crew(2, CompilePace::ahead, noting());
  ASSERT_EQ(crew.window(), 8U);
  crew.expect(orders(1, 30));
  notes_.wait_for(8);
  EXPECT_TRUE(crew.take(order(1)));
  notes_.wait_for(9);
  // Whoever could begin a tenth would have to get past this.
  EXPECT_TRUE(crew.take(order(2)));
  notes_.wait_for(10);
  EXPECT_THAT(notes_.sorted(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(CompileCrewTest, what_is_wanted_now_is_compiled_though_the_window_is_full) {
  CompileCrew crew(1, CompilePace::ahead, noting());
  crew.expect(orders(1, 20));
  notes_.wait_for(4);
  EXPECT_TRUE(crew.take(order(20)));
  EXPECT_THAT(notes_.sorted(), testing::Contains(20));
}

TEST_F(CompileCrewTest, compiles_several_at_a_time) {
  std::latch all_at_once(3);
  CompileCrew crew(3, CompilePace::ahead, [&](const std::stop_token&) -> CompileStep {
    return [&](const CompileOrder& one) {
      all_at_once.arrive_and_wait();  // for ever, were they one after another
      return compiled(one);
    };
  });
  crew.expect(orders(1, 3));
  for (std::int64_t block = 1; block <= 3; ++block) EXPECT_TRUE(crew.take(order(block)));
}

TEST_F(CompileCrewTest, hires_no_more_than_there_is_work_for) {
  CompileCrew crew(50, CompilePace::ahead, noting());
  EXPECT_EQ(hired_, 0);
  crew.expect(orders(1, 2));
  for (std::int64_t block = 1; block <= 2; ++block) EXPECT_TRUE(crew.take(order(block)));
  EXPECT_LE(hired_, 2);
}

// Counts who compiles, which nobody may while results are used.
TEST_F(CompileCrewTest, in_batches_nothing_is_compiled_while_results_are_used) {
  std::atomic<bool> in_use{false}, disturbed{false};
  CompileCrew crew(3, CompilePace::in_batches, [&](const std::stop_token&) -> CompileStep {
    return [&](const CompileOrder& one) {
      if (in_use) disturbed = true;
      std::this_thread::yield();
      notes_.add(one);
      if (in_use) disturbed = true;
      return compiled(one);
    };
  });
  const std::vector<CompileOrder> all = orders(1, 100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    crew.expect({all.begin() + static_cast<std::ptrdiff_t>(i), all.end()});
    EXPECT_TRUE(crew.take(all[i]));
    in_use = true;
    for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
    const std::size_t done = notes_.sorted().size();
    EXPECT_LE(done, i + crew.window());
    in_use = false;
  }
  EXPECT_FALSE(disturbed);
  EXPECT_EQ(notes_.sorted().size(), 100U);
}

TEST_F(CompileCrewTest, what_compiled_for_one_problem_is_there_for_the_next) {
  CompileCrew crew(2, CompilePace::ahead, noting());
  crew.expect(orders(1, 3));
  for (std::int64_t block = 1; block <= 3; ++block) EXPECT_TRUE(crew.take(order(block)));
  crew.expect(orders(1, 4, 2));
  for (std::int64_t block = 1; block <= 3; ++block) EXPECT_FALSE(crew.take(order(block, 2)));
  EXPECT_TRUE(crew.take(order(4, 2)));
  EXPECT_THAT(notes_.sorted(), ElementsAre(1, 2, 3, 4));
}

TEST_F(CompileCrewTest, other_dtypes_and_traits_are_other_code) {
  CompileCrew crew(1, CompilePace::ahead, noting());
  EXPECT_TRUE(crew.take(order(1)));
  CompileOrder other = order(1);
  other.problem.dtype = Dtype::f64;
  EXPECT_TRUE(crew.take(other));
  other.problem.traits = {{"ALIGN", std::int64_t{16}}};
  EXPECT_TRUE(crew.take(other));
  EXPECT_FALSE(crew.take(other));
}

TEST_F(CompileCrewTest, a_failure_is_told_each_time_and_an_invalid_one_may_be_valid_elsewhere) {
  CompileCrew crew(1, CompilePace::ahead, [&](const std::stop_token&) -> CompileStep {
    return [&](const CompileOrder& one) {
      Trial trial = compiled(one);
      if (one.problem.dimensions.front() == 1) trial.outcome = Outcome::invalid;
      if (block_of(one) == 2) trial.outcome = Outcome::crashed;
      return trial;
    };
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(crew.take(order(2))->outcome, Outcome::crashed);
  EXPECT_EQ(crew.take(order(1, 1))->outcome, Outcome::invalid);
  EXPECT_EQ(crew.take(order(1, 7))->outcome, Outcome::compiled);
}

TEST_F(CompileCrewTest, results_that_are_no_longer_expected_are_not_in_the_way) {
  CompileCrew crew(1, CompilePace::ahead, noting());
  crew.expect(orders(1, 4));
  notes_.wait_for(4);
  (void)crew.take(order(1));  // the fourth is ready, too
  crew.expect(orders(11, 14));
  notes_.wait_for(8);
  EXPECT_THAT(notes_.sorted(), ElementsAre(1, 2, 3, 4, 11, 12, 13, 14));
}

TEST_F(CompileCrewTest, what_is_given_up_while_it_is_compiled_takes_no_room_afterwards) {
  std::latch at_work(1), may_end(1);
  CompileCrew crew(1, CompilePace::ahead, [&](const std::stop_token&) -> CompileStep {
    return [&](const CompileOrder& one) {
      if (block_of(one) == 1) at_work.count_down(), may_end.wait();
      notes_.add(one);
      return compiled(one);
    };
  });
  crew.expect(orders(1, 1));
  at_work.wait();
  const std::vector<CompileOrder> others = orders(11, 10 + static_cast<std::int64_t>(crew.window()));
  crew.expect(others);
  may_end.count_down();
  notes_.wait_for(1 + others.size());  // all of them, though none is taken
  EXPECT_EQ(notes_.sorted().size(), 1 + others.size());
}

TEST_F(CompileCrewTest, an_error_of_the_step_or_of_hiring_reaches_who_takes) {
  CompileCrew crew(1, CompilePace::ahead, [&](const std::stop_token&) -> CompileStep {
    return [](const CompileOrder& one) -> Trial {
      if (block_of(one) == 1) throw unavailable("no compiler");
      return compiled(one);
    };
  });
  EXPECT_THROW((void)crew.take(order(1)), Error);
  EXPECT_TRUE(crew.take(order(2)));
  CompileCrew none(1, CompilePace::ahead, [](const std::stop_token&) -> CompileStep { throw failed("no worker"); });
  EXPECT_THROW((void)none.take(order(1)), Error);
}

TEST_F(CompileCrewTest, its_end_asks_those_at_work_to_stop_and_begins_nothing_more) {
  std::latch at_work(1);
  {
    CompileCrew crew(1, CompilePace::ahead, [&](std::stop_token stop) -> CompileStep {
      return [&, stop](const CompileOrder& one) {
        notes_.add(one);
        at_work.count_down();
        while (!stop.stop_requested()) std::this_thread::yield();
        return compiled(one);
      };
    });
    crew.expect(orders(1, 3));
    at_work.wait();
  }
  EXPECT_THAT(notes_.sorted(), ElementsAre(1));
}

}  // namespace
}  // namespace hiptune
