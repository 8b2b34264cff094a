#include "device/host/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <vector>

namespace hiptune::host {

TEST(WorkerPool, a_pool_of_one_is_the_caller) {
  WorkerPool pool(1);
  std::vector<int> workers;
  pool.run(5, [&](int worker) { workers.push_back(worker); });
  EXPECT_EQ(workers, std::vector<int>{0});
}

TEST(WorkerPool, the_job_runs_on_several_threads_at_once) {
  WorkerPool pool(3);
  std::barrier all_three(3);  // would wait for ever if fewer threads took part
  std::vector<int> ran(3, 0);
  pool.run(3, [&](int worker) {
    ++ran[static_cast<std::size_t>(worker)];
    all_three.arrive_and_wait();
  });
  EXPECT_EQ(ran, std::vector<int>(3, 1));
}

TEST(WorkerPool, no_more_threads_join_than_are_wanted) {
  WorkerPool pool(4);
  for (int i = 0; i < 1000; ++i) {
    std::atomic<int> calls{0};
    pool.run(2, [&](int) { ++calls; });
    ASSERT_GE(calls, 1);
    ASSERT_LE(calls, 2);
  }
}

// Else what a worker leaves behind, such as a fault, is lost when it comes again and finds nothing to do.
TEST(WorkerPool, a_worker_that_is_quick_does_not_join_a_run_twice) {
  WorkerPool pool(16);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> calls(16, 0);
    pool.run(16, [&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
    for (const int times : calls) ASSERT_LE(times, 1) << "in round " << round;
  }
}

TEST(WorkerPool, work_shared_out_by_asking_is_done_exactly_once) {
  WorkerPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> next{0};
    std::vector<int> done(100, 0);
    pool.run(4, [&](int) {
      for (int i = next++; i < 100; i = next++) ++done[static_cast<std::size_t>(i)];
    });
    ASSERT_EQ(done, std::vector<int>(100, 1));
  }
}

}  // namespace hiptune::host
