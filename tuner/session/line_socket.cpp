#include "session/line_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hiptune {

bool LineSocket::write(const std::string& line) const {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    // MSG_NOSIGNAL: a dead peer is an answer, not a SIGPIPE.
    const ssize_t count = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> LineSocket::take() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

bool LineSocket::fill() {
  std::array<char, 65536> chunk{};
  while (true) {
    const ssize_t count = ::read(descriptor_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    return true;
  }
}

std::optional<std::string> LineSocket::read() {
  while (true) {
    if (auto line = take()) return line;
    if (!fill()) return std::nullopt;
  }
}

}  // namespace hiptune
