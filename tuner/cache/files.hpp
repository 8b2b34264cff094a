#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hiptune {

// Files as a cache on a shared or network disk needs them. Every function throws Error(failed) with the path and the
// system's reason.

// None: there is no such file. Never waits for a writer: what is no regular file is an error.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

// Under a temporary name first, then on disk for certain, then in place: a reader finds the old file or the new one,
// after a crash too. A symbolic link stays, and what it leads to is written, whether it is there yet or not.
void write_atomically(const std::filesystem::path& path, const std::string& text);

// "a folder", "a FIFO", ... where something other than a regular file is at `path`, or where a link leads. None: a
// regular file, or nothing.
[[nodiscard]] std::optional<std::string> irregular_kind(const std::filesystem::path& path);
// Where the links lead that begin at `path`; `path` itself where it is none.
[[nodiscard]] std::filesystem::path final_target(const std::filesystem::path& path);

[[nodiscard]] bool path_exists(const std::filesystem::path& path);
// Replaces what is there; durable once it returns.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
// One that is gone already is no error.
void remove_file(const std::filesystem::path& path);

// Whether the name is one that write_atomically leaves behind when its process dies.
[[nodiscard]] bool is_temporary(const std::filesystem::path& path);

// Creates the folder if needed, then a file in it, and removes the file. Asking for permissions is not enough: root has
// them all, also where nothing can be written.
void probe_writable(const std::filesystem::path& folder);

// A name that no other process on any host chooses: "host-pid-nanoseconds-random".
[[nodiscard]] std::string unique_name();

// The paths of a folder, sorted; none where there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder);

// An exclusive lock on a path, which exists only while somebody holds or wants it. Released when destroyed.
class FileLock {
 public:
  // Retries for about a second. None: someone else holds it, or the file system has no locks.
  [[nodiscard]] static std::optional<FileLock> acquire(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  std::optional<int> descriptor_;
};

}  // namespace hiptune
