#include "session/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "hiptune/error.hpp"
#include "problem/utf8.hpp"
#include "session/messages.hpp"

extern char** environ;  // NOLINT: declared by POSIX, not by a header

namespace hiptune {
namespace {

constexpr std::size_t kLastWords = 4096;     // bytes kept of a worker's output
constexpr int kWorkerSocket = 3;             // its number in the worker
constexpr long long kStopMilliseconds = 50;  // how long a request to stop may go unnoticed

Error system_error(const char* call) { return failed(std::string(call) + ": " + std::strerror(errno)); }

// Two connected descriptors that no other child inherits. Closed with it, but for what was taken.
struct Pair {
  Pair() = default;
  Pair(Pair&& other) noexcept : ends(std::exchange(other.ends, {-1, -1})) {}
  Pair& operator=(Pair&&) = delete;
  ~Pair() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  [[nodiscard]] int take(std::size_t end) { return std::exchange(ends[end], -1); }
  std::array<int, 2> ends{-1, -1};
};
Pair socket_pair() {
  Pair pair;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.ends.data()) != 0) throw system_error("socketpair");
  return pair;
}
Pair pipe_pair() {
  Pair pair;
  if (::pipe2(pair.ends.data(), O_CLOEXEC) != 0) throw system_error("pipe2");
  ::fcntl(pair.ends[0], F_SETFL, O_NONBLOCK);  // the reading end only: the worker's printf must not see EAGAIN
  return pair;
}

// The worker leads a process group of its own, so that a compiler it started dies with it.
int spawn(const std::filesystem::path& program, int socket, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, socket, kWorkerSocket);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string path = program.string(), verb = "worker", option = "--socket", number = std::to_string(kWorkerSocket);
  std::array<char*, 5> arguments{path.data(), verb.data(), option.data(), number.data(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawn(&process, path.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw failed("cannot start a worker: " + path + ": " + std::strerror(error));
  return process;
}

std::string describe(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exited with code {}", WEXITSTATUS(status));
  return fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

std::string trimmed(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

std::string words_of(const WorkerDied& died) {
  if (died.lost_device) return fmt::format("the device was lost during {}: {}", died.phase, *died.lost_device);
  std::string text = fmt::format("the worker {} during {}", died.how, died.phase);
  if (!died.last_words.empty()) text += "; its last words: " + died.last_words;
  return text;
}

std::string words_of(const WorkerTimedOut& timed_out) {
  const std::string what = timed_out.phase == "open" ? "opening the device" : timed_out.phase;
  return fmt::format("{} took longer than {:g} s; --timeout allows more", what, timed_out.deadline.count());
}

}  // namespace

std::string describe(const WorkerAnswer& answer) {
  if (const auto* died = std::get_if<WorkerDied>(&answer)) return words_of(*died);
  if (const auto* late = std::get_if<WorkerTimedOut>(&answer)) return words_of(*late);
  throw std::logic_error("a reply is no failure");
}

WorkerProcess::WorkerProcess(const std::filesystem::path& program, std::stop_token stop) : stop_(std::move(stop)) {
  Pair sockets = socket_pair(), output = pipe_pair(), worker_end;
  // adddup2 onto the same number would leave it close-on-exec; a parent's end is never the worker's number.
  worker_end.ends[0] = ::fcntl(sockets.ends[1], F_DUPFD_CLOEXEC, kWorkerSocket + 1);
  if (worker_end.ends[0] < 0) throw system_error("fcntl");
  process_ = spawn(program, worker_end.ends[0], output.ends[1]);
  end_ = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));  // -1 on an old kernel
  socket_ = sockets.take(0);
  output_ = output.take(0);
  lines_ = LineSocket(socket_);
}

WorkerProcess::~WorkerProcess() {
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  for (const int file : {socket_, output_, end_})
    if (file >= 0) ::close(file);
}

WorkerAnswer WorkerProcess::ask(const nlohmann::ordered_json& request, Seconds deadline, Seconds sampling) {
  std::string phase = request.at("op");
  if (!lines_.write(request.dump())) return bury(phase);
  const auto end_of_phase = [&] {
    const Seconds allowed = phase == "time" ? deadline + sampling : deadline;
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(allowed);
  };
  auto until = end_of_phase();
  while (true) {
    while (auto line = lines_.take()) {
      const auto message = nlohmann::ordered_json::parse(*line);
      if (message.contains("error")) throw error_from_json(message.at("error"));
      if (message.contains("reply")) return message.at("reply");
      if (message.contains("lost_device")) {
        WorkerDied died = bury(phase);  // at once: a vendor's library may hang when it shuts a lost device down
        died.lost_device = message.at("lost_device").get<std::string>();
        return died;
      }
      phase = message.at("phase");
      until = end_of_phase();
    }
    const Event event = wait(until);
    if (event == Event::closed) return bury(phase);
    if (event == Event::late) {
      ::kill(-process_, SIGKILL);
      return WorkerTimedOut{phase, deadline};
    }
  }
}

WorkerProcess::Event WorkerProcess::wait(std::chrono::steady_clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0 || stop_.stop_requested()) return Event::late;
    const long long slice = stop_.stop_possible() ? kStopMilliseconds : 1'000'000;
    std::array<pollfd, 3> watched{{{socket_, POLLIN, 0}, {output_, POLLIN, 0}, {end_, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(std::min<long long>(left, slice))) < 0) {
      if (errno == EINTR) continue;
      throw system_error("poll");
    }
    if (watched[1].revents != 0) keep_last_words();
    if (watched[0].revents != 0) return lines_.fill() ? Event::line : Event::closed;
    if (watched[2].revents != 0) return Event::closed;  // though what it forked may hold the socket open
  }
}

void WorkerProcess::keep_last_words() {
  std::array<char, 4096> chunk{};
  ssize_t count = 0;
  while (output_ >= 0 && (count = ::read(output_, chunk.data(), chunk.size())) > 0) {
    last_words_.append(chunk.data(), static_cast<std::size_t>(count));
    if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
  }
  if (count == 0 && output_ >= 0) ::close(std::exchange(output_, -1));
}

WorkerDied WorkerProcess::bury(const std::string& phase) {
  int status = 0;
  ::kill(-process_, SIGKILL);  // what it started, and itself if only its socket is closed
  const bool is_known = ::waitpid(process_, &status, 0) == process_;
  process_ = 0;
  keep_last_words();
  return {is_known ? describe(status) : "ended, nobody knows how,", phase, valid_utf8(trimmed(last_words_)),
          std::nullopt};
}

}  // namespace hiptune
