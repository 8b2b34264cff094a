#include "amd/child.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using amd::ChildEnd;
using amd::run_in_child;
using std::chrono::minutes;
using testing::HasSubstr;

void write_line(const std::string& text) {
  ASSERT_EQ(write(STDERR_FILENO, text.data(), text.size()), ssize_t(text.size()));
}

TEST(AmdChild, the_result_comes_over_and_what_else_the_child_does_stays_there) {
  static int changed = 0;
  const ChildEnd end = run_in_child([] { return std::to_string(++changed); }, minutes(1));
  EXPECT_EQ(end.result, "1");
  EXPECT_TRUE(end.in_time);
  EXPECT_EQ(changed, 0);
}

TEST(AmdChild, an_exception_is_failure_with_what_it_wrote) {
  const ChildEnd end = run_in_child(
      []() -> std::string {
        write_line("no such\n");
        throw std::runtime_error("target\n");
      },
      minutes(1));
  EXPECT_FALSE(end.result);
  EXPECT_EQ(end.words, "it failed: no such target");
}

TEST(AmdChild, a_result_may_be_larger_than_a_pipe_and_hold_any_byte) {
  std::string large(1 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i);
  const ChildEnd end = run_in_child([&] { return large; }, minutes(1));
  EXPECT_TRUE(end.result == large);
  EXPECT_EQ(run_in_child([] { return std::string(); }, minutes(1)).result, "");
}

// As a server does that starts helpers from another thread: they hold the ends of the pipes.
TEST(AmdChild, does_not_wait_for_what_else_was_forked_meanwhile) {
  const ChildEnd end = run_in_child(
      [] {
        if (fork() == 0) {
          ::sleep(5);
          ::_exit(0);
        }
        return std::string("done");
      },
      minutes(1));
  EXPECT_EQ(end.result, "done");
  const ChildEnd dead = run_in_child(
      []() -> std::string {
        if (fork() == 0) {
          ::sleep(5);
          ::_exit(0);
        }
        ::_exit(3);
      },
      std::chrono::seconds(20));
  EXPECT_FALSE(dead.result);
  EXPECT_TRUE(dead.in_time);
}

TEST(AmdChild, a_child_that_aborts_is_a_failure_even_where_the_parent_handles_the_signal) {
  const auto before = ::signal(SIGABRT, [](int) { ::_exit(0); });
  const ChildEnd end = run_in_child(
      [] {
        write_line("last words");
        std::abort();
        return std::string();
      },
      minutes(1));
  ::signal(SIGABRT, before);
  EXPECT_FALSE(end.result);
  EXPECT_THAT(end.words, HasSubstr("it ended by signal 6 (Aborted): last words"));
}

TEST(AmdChild, a_child_that_hangs_is_killed_at_the_deadline) {
  const ChildEnd end = run_in_child(
      [] {
        for (;;) ::pause();
        return std::string();
      },
      std::chrono::milliseconds(50));
  EXPECT_FALSE(end.result);
  EXPECT_FALSE(end.in_time);
  EXPECT_THAT(end.words, HasSubstr("did not end within 50 ms"));
}

TEST(AmdChild, a_child_that_writes_without_end_is_killed_at_the_deadline_and_little_is_kept) {
  const ChildEnd end = run_in_child(
      [] {
        for (;;) write_line(std::string(1000, 'x'));
        return std::string();
      },
      std::chrono::milliseconds(50));
  EXPECT_FALSE(end.in_time);
  EXPECT_LT(end.words.size(), 5000U);
}

TEST(AmdChild, works_beside_threads_that_allocate) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!done) EXPECT_EQ(std::vector<int>(1000, 1).back(), 1);
    });
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(run_in_child([] { return std::string(100000, 'x'); }, minutes(1)).result);
  done = true;
  for (std::thread& thread : threads) thread.join();
}

// Applications that embed the dispatcher often ignore SIGCHLD, and then no status is left to wait for.
TEST(AmdChild, where_ends_of_children_are_ignored_success_is_what_the_child_said) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const ChildEnd good = run_in_child(
      [] {
        write_line(std::string(5000, 'x'));
        return std::string("good");
      },
      minutes(1));
  const ChildEnd bad = run_in_child([]() -> std::string { throw std::runtime_error("bad"); }, minutes(1));
  const ChildEnd dead = run_in_child([]() -> std::string { std::abort(); }, minutes(1));
  ::signal(SIGCHLD, before);
  EXPECT_EQ(good.result, "good");
  for (const ChildEnd& end : {bad, dead}) {
    EXPECT_FALSE(end.result);
    EXPECT_THAT(end.words, HasSubstr("cannot be known"));
  }
}

}  // namespace hiptune::device_tests
