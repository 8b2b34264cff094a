#include "cache/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kLongestHostName = 32;  // a file's name, of which it is a part, ends at 255
constexpr int kReadableByAll = 0666;          // less the process's umask
constexpr int kMostLinks = 40;                // as in Linux

Error system_error(const std::string& what, const fs::path& path, int code) {
  return failed(path.string() + ": " + what + ": " + std::generic_category().message(code));
}

std::optional<std::string> irregular_kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return "a folder";
  if (S_ISFIFO(status.st_mode)) return "a FIFO";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  return "a device";
}

Error not_regular(const fs::path& path, const std::string& kind) {
  return failed(path.string() + ": is not a regular file but " + kind + ": move it elsewhere");
}

// An open file. Move-only, closed when destroyed. Errors name the file that the user knows, which need not be the one
// that is open.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* what) : Descriptor(path, flags, what, path) {}
  Descriptor(const fs::path& path, int flags, const char* what, fs::path known_as)
      : path_(std::move(known_as)), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, kReadableByAll)) {
    if (descriptor_ < 0) throw system_error(what, path_, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(descriptor_); }

  // Once more after opening: what is at a path can change in between.
  void require_regular() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw system_error("cannot be read", path_, errno);
    if (const auto kind = irregular_kind_of(status)) throw not_regular(path_, *kind);
  }
  [[nodiscard]] std::string read_all() const {
    std::string text;
    std::array<char, 65536> chunk{};
    for (;;) {
      const auto count = ::read(descriptor_, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw system_error("cannot be read", path_, errno);
      if (count == 0) return text;
      text.append(chunk.data(), static_cast<std::size_t>(count));
    }
  }
  void write_all(std::string_view text) const {
    while (!text.empty()) {
      const auto count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno != EINTR) throw system_error("cannot be written", path_, errno);
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void synchronize() const {
    const bool done = ::fsync(descriptor_) == 0 || errno == EINVAL;  // some file systems know no fsync of folders
    if (!done) throw system_error("cannot be written to disk", path_, errno);
  }

 private:
  fs::path path_;
  int descriptor_;
};

void write_new_file(const fs::path& path, const std::string& text, const fs::path& known_as) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL, "cannot be written", known_as);
  file.write_all(text);
  file.synchronize();
}

fs::path temporary_beside(const fs::path& path) {
  std::string name = ".";
  name += path.filename().string() + "." + unique_name();
  name += kTemporarySuffix;
  return path.parent_path() / name;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string result(name.data());
  std::replace(result.begin(), result.end(), '/', '-');
  return result.substr(0, kLongestHostName);
}

// Whoever releases the lock removes its file, so a lock may be on a file that is no longer the one at `path`.
bool is_file_at(int descriptor, const fs::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

// The locked descriptor. None: not now.
std::optional<int> try_lock(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kReadableByAll);
  if (descriptor < 0) throw system_error("cannot be created", path, errno);
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (!locked && errno != EWOULDBLOCK && errno != EINTR) {
    log().warn("{}: cannot be locked: {}", path.string(), std::generic_category().message(errno));
  }
  if (locked && is_file_at(descriptor, path)) return descriptor;
  ::close(descriptor);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> irregular_kind(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? irregular_kind_of(status) : std::nullopt;
}

// A FIFO would keep its reader waiting for a writer, at opening already, and a device for ever.
std::optional<std::string> read_file(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) return std::nullopt;
  if (const auto kind = irregular_kind(path)) throw not_regular(path, *kind);
  try {
    const Descriptor file(path, O_RDONLY | O_NONBLOCK, "cannot be opened");
    file.require_regular();
    return file.read_all();
  } catch (const Error&) {
    if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) return std::nullopt;  // removed in between
    throw;
  }
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot be renamed to " + to.string(), from, errno);
  Descriptor(to.parent_path(), O_RDONLY | O_DIRECTORY, "cannot be opened").synchronize();
}

// Not fs::weakly_canonical, which does not follow a link to nothing.
fs::path final_target(const fs::path& path) {
  auto target = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code no_link;
    const auto next = fs::read_symlink(target, no_link);
    if (no_link) return target;
    target = target.parent_path() / next;
  }
  throw system_error("cannot be followed", path, ELOOP);
}

void write_atomically(const fs::path& path, const std::string& text) {
  const auto target = final_target(path);
  if (const auto kind = irregular_kind(target)) throw not_regular(target, *kind);  // a rename would replace a device
  const auto temporary = temporary_beside(target);
  try {
    write_new_file(temporary, text, target);
    rename_file(temporary, target);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

bool path_exists(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw system_error("cannot be removed", path, errno);
}

bool is_temporary(const fs::path& path) {
  const auto name = path.filename().string();
  return name.starts_with('.') && name.ends_with(kTemporarySuffix);
}

void probe_writable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw system_error("cannot be created", folder, error.value());
  const auto probe = temporary_beside(folder / "probe");
  { const Descriptor file(probe, O_WRONLY | O_CREAT | O_EXCL, "cannot be written to", folder); }
  remove_file(probe);
}

std::string unique_name() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return host_name() + "-" + std::to_string(::getpid()) + "-" + std::to_string(nanoseconds) + "-" +
         std::to_string(std::random_device{}());
}

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  std::vector<fs::path> paths;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) paths.push_back(entries->path());
  if (error && error != std::errc::no_such_file_or_directory) {
    throw system_error("cannot be listed", folder, error.value());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<FileLock> FileLock::acquire(const fs::path& path) {
  constexpr std::chrono::milliseconds kLongestWait{512};  // doubling from 1 ms: about a second in all
  for (std::chrono::milliseconds wait{1};; wait *= 2) {
    if (const auto descriptor = try_lock(path)) return FileLock(path, *descriptor);
    if (wait > kLongestWait) return std::nullopt;
    std::this_thread::sleep_for(wait);
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, std::nullopt)) {}

FileLock::~FileLock() {
  if (!descriptor_) return;
  ::unlink(path_.c_str());
  ::close(*descriptor_);
}

}  // namespace hiptune
