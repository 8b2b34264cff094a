#include "session/line_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <thread>
#include <utility>

namespace hiptune {
namespace {

class Lines : public testing::Test {
 protected:
  Lines() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~Lines() override {
    for (int end : ends_)
      if (end >= 0) ::close(end);
  }

  void send(std::string_view text) const {
    ASSERT_EQ(::send(ends_[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void close_peer() { ::close(std::exchange(ends_[1], -1)); }

  std::array<int, 2> ends_{-1, -1};
};

TEST_F(Lines, arrive_whole_however_they_were_cut) {
  LineSocket lines(ends_[0]);
  send("first\nsec");
  EXPECT_EQ(lines.read(), "first");
  EXPECT_EQ(lines.take(), std::nullopt) << "not yet whole";
  send("ond\n\nfourth\n");
  EXPECT_EQ(lines.read(), "second");
  EXPECT_EQ(lines.take(), "");
  EXPECT_EQ(lines.take(), "fourth");
  EXPECT_EQ(lines.take(), std::nullopt);
}

TEST_F(Lines, end_with_the_stream_and_without_a_half_line) {
  LineSocket lines(ends_[0]);
  send("whole\nhalf");
  close_peer();
  EXPECT_EQ(lines.read(), "whole");
  EXPECT_EQ(lines.read(), std::nullopt);
  EXPECT_FALSE(lines.fill());
}

TEST_F(Lines, cannot_be_written_to_a_peer_that_is_gone_and_no_signal_tells_so) {
  const LineSocket lines(ends_[0]);
  close_peer();
  EXPECT_FALSE(lines.write("hello"));
}

TEST_F(Lines, longer_than_a_socket_holds_pass) {
  const std::string line(3'000'000, 'x');
  std::thread writer([&] { EXPECT_TRUE(LineSocket(ends_[1]).write(line)); });
  LineSocket lines(ends_[0]);
  EXPECT_EQ(lines.read(), line);
  writer.join();
}

}  // namespace
}  // namespace hiptune
