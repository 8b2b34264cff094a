#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cache/files.hpp"
#include "cache/store.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

constexpr int kPutsPerProcess = 50;

const CacheKey kKey = cache_key(made_up::target(), "rmsnorm");

[[noreturn]] void put_all(const std::filesystem::path& root, int first_row) noexcept {
  Store store(root);
  for (int i = 0; i < kPutsPerProcess; ++i) store.put(kKey, made_up::record(first_row + i));
  ::_exit(0);
}

pid_t start_writer(const std::filesystem::path& root, int first_row) {
  const auto pid = ::fork();
  if (pid == 0) put_all(root, first_row);
  return pid;
}

// Whether the process has ended; its status must be 0.
bool has_ended(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) != pid) return false;
  EXPECT_EQ(status, 0);
  return true;
}

TEST(StoreConcurrency, two_writers_lose_nothing_and_a_reader_never_sees_less) {
  const made_up::Folder folder;
  Store store(folder.path());
  std::vector<pid_t> writers{start_writer(folder.path(), 1), start_writer(folder.path(), 1001)};
  std::size_t seen = 0;
  while (!writers.empty()) {
    const auto loaded = store.load(kKey);
    EXPECT_TRUE(loaded.damage.empty());
    EXPECT_GE(loaded.records.size(), seen);
    seen = loaded.records.size();
    std::erase_if(writers, has_ended);
  }
  EXPECT_TRUE(store.compact(kKey));
  EXPECT_EQ(store.load(kKey).records.size(), 2U * kPutsPerProcess);
  const auto document = nlohmann::json::parse(made_up::text_of(store.file_of(kKey)));
  EXPECT_EQ(document.at("entries").size(), 2U * kPutsPerProcess);
  EXPECT_TRUE(list_folder(store.file_of(kKey).parent_path() / "rmsnorm.segments").empty());
  EXPECT_EQ(list_folder(store.file_of(kKey).parent_path()).size(), 2U);  // the file, and the empty segments folder
}

// Exit status 1: somebody else was inside at the same time.
[[noreturn]] void enter_and_leave(const std::filesystem::path& folder) noexcept {
  for (int i = 0; i < 150; ++i) {
    const auto lock = FileLock::acquire(folder / "x.lock");
    if (!lock) continue;
    if (!std::filesystem::create_directory(folder / "inside")) ::_exit(1);
    std::filesystem::remove(folder / "inside");
  }
  ::_exit(0);
}

TEST(StoreConcurrency, a_lock_whose_file_comes_and_goes_is_still_held_by_one_only) {
  const made_up::Folder folder;
  std::vector<pid_t> processes;
  for (int i = 0; i < 3; ++i) {
    processes.push_back(::fork());
    if (processes.back() == 0) enter_and_leave(folder.path());
  }
  for (const auto pid : processes) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(StoreConcurrency, a_lock_is_held_by_one_process_and_ends_with_it) {
  const made_up::Folder folder;
  const auto path = folder.path() / "x.lock";
  const auto child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::acquire(path);
    ::_exit(lock ? 0 : 1);  // without releasing it: the file stays
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path));
  {
    const auto lock = FileLock::acquire(path);
    EXPECT_TRUE(lock.has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace hiptune
