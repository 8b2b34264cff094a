#include "session/worker_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "hiptune/error.hpp"
#include "session_bench.hpp"

namespace hiptune {
namespace {

using testing::HasSubstr;

// What stands for the program: a shell script, run as PROGRAM worker --socket 3.
class WorkerScript : public testing::Test {
 protected:
  std::filesystem::path script(const std::string& text) const {
    const std::filesystem::path file = folder_.path() / "worker";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  const test::TemporaryFolder folder_;
  const nlohmann::ordered_json request_{{"op", "greet"}};
};

TEST_F(WorkerScript, that_replies_is_heard) {
  WorkerProcess worker(script("read line <&3; echo '{\"reply\": {\"to\": '\"$line\"'}}' >&3; read line <&3"));
  const WorkerAnswer answer = worker.ask(request_, Seconds(60));
  ASSERT_TRUE(std::holds_alternative<nlohmann::ordered_json>(answer));
  EXPECT_EQ(std::get<nlohmann::ordered_json>(answer).dump(), R"({"to":{"op":"greet"}})");
}

TEST_F(WorkerScript, that_reports_an_error_makes_it_an_exception_and_can_be_asked_again) {
  WorkerProcess worker(
      script("while read line <&3; do echo '{\"error\": {\"kind\": 1, \"message\": \"not at home\"}}' >&3; done"));
  for (int i = 0; i < 2; ++i) {
    try {
      (void)worker.ask(request_, Seconds(60));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_STREQ(error.what(), "not at home");
    }
  }
}

TEST_F(WorkerScript, that_ends_is_buried_with_its_phase_and_the_end_of_what_it_said) {
  WorkerProcess worker(
      script("read line <&3; echo '{\"phase\": \"dig\"}' >&3; head -c 9000 /dev/zero | tr '\\0' a; "
             "echo ' the end' >&2; exit 7"));
  const WorkerAnswer answer = worker.ask(request_, Seconds(60));
  ASSERT_TRUE(std::holds_alternative<WorkerDied>(answer));
  const auto& died = std::get<WorkerDied>(answer);
  EXPECT_EQ(died.how, "exited with code 7");
  EXPECT_EQ(died.phase, "dig");
  EXPECT_TRUE(died.last_words.ends_with("aaa the end")) << died.last_words;
  EXPECT_LE(died.last_words.size(), 4096u);
}

TEST_F(WorkerScript, that_is_no_longer_wanted_is_killed_long_before_its_deadline) {
  std::stop_source stop;
  WorkerProcess worker(script("read line <&3; echo '{\"phase\": \"dig\"}' >&3; exec sleep 100000"), stop.get_token());
  stop.request_stop();
  const WorkerAnswer answer = worker.ask(request_, Seconds(50'000));
  EXPECT_TRUE(std::holds_alternative<WorkerTimedOut>(answer));
}

TEST_F(WorkerScript, that_ended_before_it_was_asked_is_buried_too) {
  WorkerProcess worker(script("echo gone; exit 2"));
  while (::waitid(P_ALL, 0, nullptr, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const WorkerAnswer answer = worker.ask(request_, Seconds(60));
  ASSERT_TRUE(std::holds_alternative<WorkerDied>(answer));
  EXPECT_EQ(std::get<WorkerDied>(answer).how, "exited with code 2");
  EXPECT_EQ(std::get<WorkerDied>(answer).phase, "greet");
  EXPECT_EQ(std::get<WorkerDied>(answer).last_words, "gone");
}

// A vendor's library may hang when it shuts a lost device down.
TEST_F(WorkerScript, that_lost_its_device_is_ended_at_once_and_the_vendor_s_words_are_kept) {
  WorkerProcess worker(script(
      "read line <&3; echo '{\"phase\": \"gate\"}' >&3; echo '{\"lost_device\": \"hipMalloc: gone\"}' >&3; sleep 600"));
  const WorkerAnswer answer = worker.ask(request_, Seconds(60));
  ASSERT_TRUE(std::holds_alternative<WorkerDied>(answer));
  EXPECT_EQ(std::get<WorkerDied>(answer).lost_device, "hipMalloc: gone");
  EXPECT_EQ(describe(answer), "the device was lost during gate: hipMalloc: gone");
}

TEST_F(WorkerScript, that_is_silent_is_late_in_the_phase_it_announced) {
  WorkerProcess worker(script("read line <&3; echo '{\"phase\": \"dream\"}' >&3; read line <&3"));
  const WorkerAnswer answer = worker.ask(request_, Seconds(1));
  ASSERT_TRUE(std::holds_alternative<WorkerTimedOut>(answer));
  EXPECT_EQ(std::get<WorkerTimedOut>(answer).phase, "dream");
  EXPECT_EQ(std::get<WorkerTimedOut>(answer).deadline, Seconds(1));
}

TEST_F(WorkerScript, that_is_not_there_is_an_error_with_its_path) {
  try {
    const WorkerProcess worker(folder_.path() / "nobody");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_THAT(error.what(), HasSubstr((folder_.path() / "nobody").string()));
  }
}

// Ten each that end by themselves, that are late, and that nobody asks.
TEST_F(WorkerScript, thirty_leave_no_process_and_no_descriptor_behind) {
  const std::filesystem::path leaving = script("exit 1");
  const std::ptrdiff_t before = test::open_descriptors();
  for (int i = 0; i < 10; ++i) {
    WorkerProcess dying(leaving);
    EXPECT_TRUE(std::holds_alternative<WorkerDied>(dying.ask(request_, Seconds(60))));
    WorkerProcess late(HIPTUNE_PROGRAM);
    EXPECT_TRUE(std::holds_alternative<WorkerTimedOut>(late.ask(request_, Seconds(0))));
    const WorkerProcess unasked(HIPTUNE_PROGRAM);
  }
  EXPECT_EQ(test::open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker is left";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace hiptune
