#include "amd/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWords = 2000;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// The child is a copy of a process that may handle signals, map a GPU and dump gigabytes of core.
void become_harmless(int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

void write_all(int file, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(file, data, bytes);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) data += written, bytes -= static_cast<std::size_t>(written);
  }
}

// The result's length goes first, so that the parent knows its end: the ends of pipes are held open by whatever else
// the application forks meanwhile.
[[noreturn]] void run_child(const std::function<std::string()>& action, int words, int result, pid_t parent) {
  become_harmless(words, parent);
  bool succeeded = false;
  try {
    const std::string text = action();
    const std::uint64_t bytes = text.size();
    write_all(result, reinterpret_cast<const char*>(&bytes), sizeof(bytes));
    write_all(result, text.data(), text.size());
    succeeded = true;
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO, error.what(), std::strlen(error.what()));
  }
  ::_exit(succeeded ? 0 : 1);  // no destructors and no exit handlers: they are the parent's
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failed(std::string("cannot make a pipe: ") + std::strerror(errno));
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Reads what is there, and keeps the first `most` bytes. False: nothing more will come.
bool take(int pipe, std::string& text, std::size_t most) {
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    text.append(part.data(), std::min(static_cast<std::size_t>(got), most - std::min(most, text.size())));
  }
}

// What a child says until it has handed its result over, or has ended.
class Listening {
 public:
  Listening(int words, int result, int process)
      : watched_{{{words, POLLIN, 0}, {result, POLLIN, 0}, {process, POLLIN, 0}}} {}

  // False: it did neither in time.
  [[nodiscard]] bool until(Clock::time_point end) {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0) return false;
      if (::poll(watched_.data(), watched_.size(), static_cast<int>(std::min<std::int64_t>(left, 1'000'000))) <= 0)
        continue;
      const bool has_ended = watched_[2].revents != 0;
      const bool words = take(watched_[0].fd, words_, kMostWords), result = take(watched_[1].fd, result_, kNoLimit);
      if (has_ended || is_complete() || (!words && !result)) return true;
      if (!words) watched_[0].fd = -1;
      if (!result) watched_[1].fd = -1;
    }
  }

  [[nodiscard]] const std::string& words() const { return words_; }
  [[nodiscard]] std::optional<std::string> result() const {
    return is_complete() ? std::optional(result_.substr(kHeader)) : std::nullopt;
  }

 private:
  static constexpr std::size_t kHeader = sizeof(std::uint64_t), kNoLimit = std::string::npos;

  [[nodiscard]] bool is_complete() const {
    std::uint64_t bytes = 0;
    if (result_.size() < kHeader) return false;
    std::memcpy(&bytes, result_.data(), kHeader);
    return result_.size() == kHeader + bytes;
  }

  std::array<pollfd, 3> watched_;
  std::string words_, result_;
};

// None: somebody else waited for it, or this process ignores the ends of its children.
std::optional<int> wait_for(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.resize(std::min(text.find_last_not_of(' ') + 1, kMostWords));
  return text;
}

std::string words_of(std::optional<int> status, const std::string& text) {
  std::string end = "it failed";
  if (!status) end = "how it ended cannot be known";
  if (status && WIFSIGNALED(*status))
    end = "it ended by signal " + std::to_string(WTERMSIG(*status)) + " (" + ::strsignal(WTERMSIG(*status)) + ")";
  return text.empty() ? end : end + ": " + on_one_line(text);
}

}  // namespace

ChildEnd run_in_child(const std::function<std::string()>& action, std::chrono::milliseconds deadline) {
  Pipe words = make_pipe(), result = make_pipe();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw failed(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) run_child(action, words.write.get(), result.write.get(), parent);
  words.write.close();
  result.write.close();
  // -1 on an old kernel: then the ends of the pipes must do.
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  Listening listening(words.read.get(), result.read.get(), process.get());
  const bool in_time = listening.until(Clock::now() + deadline);
  if (!in_time) ::kill(child, SIGKILL);
  const std::optional<int> status = wait_for(child);
  if (!in_time) return {std::nullopt, false, "it did not end within " + std::to_string(deadline.count()) + " ms"};
  return {listening.result(), true, words_of(status, listening.words())};
}

}  // namespace hiptune::amd
