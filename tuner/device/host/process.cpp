#include "device/host/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

class ReadEnd {
 public:
  explicit ReadEnd(int descriptor) : descriptor_(descriptor) {}
  ~ReadEnd() { close(descriptor_); }
  ReadEnd(const ReadEnd&) = delete;
  ReadEnd& operator=(const ReadEnd&) = delete;

  // None: the writer was not done in time.
  [[nodiscard]] std::optional<std::string> read_all(std::optional<std::chrono::steady_clock::time_point> end) const {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
      if (end && !is_readable(*end)) return std::nullopt;
      const ssize_t got = read(descriptor_, part.data(), part.size());
      if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
  }

 private:
  [[nodiscard]] bool is_readable(std::chrono::steady_clock::time_point end) const {
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      pollfd watched{descriptor_, POLLIN, 0};
      const int ready = poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  int descriptor_;
};

// In the child: the folder as working directory, nothing on stdin, stdout and stderr into the pipe.
class FileActions {
 public:
  FileActions(const std::filesystem::path& folder, int pipe) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, pipe, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, pipe, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The parent's environment, which a compiler needs to find its parts, but for the two variables we set.
std::vector<std::string> child_environment(const std::filesystem::path& folder) {
  std::vector<std::string> variables = {"LC_ALL=C", "TMPDIR=" + folder.string()};
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (!variable.starts_with("LC_ALL=") && !variable.starts_with("TMPDIR=")) variables.emplace_back(variable);
  }
  return variables;
}

std::string_view search_path() {
  for (char** each = environ; *each != nullptr; ++each)
    if (const std::string_view variable = *each; variable.starts_with("PATH=")) return variable.substr(5);
  return "/usr/bin:/bin";
}

bool is_program(const std::filesystem::path& file) {
  return access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file);
}

// Where the shell would find a program, with relative paths taken from this process's folder and not from the one that
// the program will run in.
std::string found_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name);
  std::string_view rest = search_path();
  for (bool more = true; more;) {
    const std::size_t colon = rest.find(':');
    more = colon != std::string_view::npos;
    const std::filesystem::path folder = rest.substr(0, colon);
    const std::filesystem::path file = std::filesystem::absolute(folder / name);
    if (is_program(file)) return file;
    if (more) rest.remove_prefix(colon + 1);
  }
  throw unavailable("cannot start '" + name + "': " + std::strerror(ENOENT));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

bool wait_for_success(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          std::optional<std::chrono::milliseconds> deadline) {
  const std::string program = found_program(command.front());
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw failed(std::string("cannot make a pipe: ") + std::strerror(errno));
  const ReadEnd output(ends[0]);
  std::vector<std::string> arguments = command;
  // A compiler looks for its parts beside a path that it is called by.
  if (command.front().find('/') != std::string::npos) arguments.front() = program;
  std::vector<std::string> environment = child_environment(folder);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), FileActions(folder, ends[1]).get(), nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  close(ends[1]);
  if (error != 0) throw unavailable("cannot start '" + program + "': " + std::strerror(error));
  std::optional<std::chrono::steady_clock::time_point> end;
  if (deadline) end = std::chrono::steady_clock::now() + *deadline;
  std::optional<std::string> text = output.read_all(end);
  if (text) return {wait_for_success(child), std::move(*text)};
  kill(child, SIGKILL);
  static_cast<void>(wait_for_success(child));
  return {false, "took longer than " + std::to_string(deadline->count()) + " ms"};
}

}  // namespace hiptune::host
