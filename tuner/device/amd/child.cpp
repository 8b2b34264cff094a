#include "amd/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

// The last byte of a child whose action succeeded: its status is lost where the application ignores SIGCHLD.
constexpr char kSucceeded = '\x06';
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWords = 2000;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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

[[noreturn]] void run_child(const std::function<bool()>& action, int output, pid_t parent) {
  become_harmless(output, parent);
  bool succeeded = false;
  try {
    succeeded = action();
  } catch (const std::exception& error) {
    static_cast<void>(!::write(STDERR_FILENO, error.what(), std::strlen(error.what())));
  }
  if (succeeded) static_cast<void>(!::write(STDERR_FILENO, &kSucceeded, 1));
  ::_exit(succeeded ? 0 : 1);  // no destructors and no exit handlers: they are the parent's
}

// Waits for a part of the text. False: the deadline is over.
bool wait_for_text(int pipe, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd watched{pipe, POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// What the child writes until it ends. False: it did not end in time.
bool read_until(int pipe, Clock::time_point end, std::string& text) {
  std::array<char, 4096> part{};
  while (wait_for_text(pipe, end)) {
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got == 0) return true;
    if (got > 0 && text.size() < kMostWords) text.append(part.data(), static_cast<std::size_t>(got));
  }
  return false;
}

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

ChildEnd run_in_child(const std::function<bool()>& action, std::chrono::milliseconds deadline) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failed(std::string("cannot make a pipe: ") + std::strerror(errno));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw failed(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) run_child(action, input.get(), parent);
  input.close();
  std::string text;
  const bool in_time = read_until(output.get(), Clock::now() + deadline, text);
  if (!in_time) ::kill(child, SIGKILL);
  const std::optional<int> status = wait_for(child);
  const bool said_so = text.ends_with(kSucceeded);
  if (said_so) text.pop_back();
  if (!in_time) return {false, false, "it did not end within " + std::to_string(deadline.count()) + " ms"};
  return {status ? WIFEXITED(*status) && WEXITSTATUS(*status) == 0 : said_so, true, words_of(status, text)};
}

}  // namespace hiptune::amd
