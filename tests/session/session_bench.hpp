#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mutants/mutation.hpp"
#include "session/coordinator.hpp"

namespace hiptune::test {

// A folder of a test's own, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("hiptune-session-" + std::to_string(::getpid()) + "-" + std::to_string(next_++))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static inline int next_ = 0;
  std::filesystem::path path_;
};

inline std::filesystem::path source_folder() { return HIPTUNE_SOURCE_DIR; }
inline std::filesystem::path mishaps_folder() { return source_folder() / "tests/session/kernels"; }

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void edit(const std::filesystem::path& file, const Mutation& mutation) {
  const std::string edited = mutate(text_of_file(file), mutation);
  std::ofstream(file) << edited;
}

// Kernels in a folder of the test's own. The yardstick's has one configuration, so that these tests are short.
class OwnKernels {
 public:
  OwnKernels() {
    for (const auto& entry : std::filesystem::directory_iterator(mishaps_folder()))
      std::filesystem::copy_file(entry.path(), path() / entry.path().filename());
    for (const char* name : {"copy.hip", "copy.reference.hip"})
      std::filesystem::copy_file(source_folder() / "kernel_templates" / name, path() / name);
    keep_only_fallback(nlohmann::ordered_json::parse(text_of_file(source_folder() / "search_spaces/copy.json")));
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  void keep_only_fallback(nlohmann::ordered_json space) const {
    for (auto& [name, tunable] : space["tunables"].items())
      if (name != "HINT") tunable["values"] = nlohmann::ordered_json::array({space["fallback"][name]});
    space["constraints"].push_back(
        {{"require", "HINT == HINT.none"}, {"reason", "one is enough"}});  // the template names both
    space["baselines"] = {{"only", space["fallback"]}};
    std::ofstream(path() / "copy.json") << space.dump();
  }

  TemporaryFolder folder_;
};

// Workers of the real program on the CPU, with kernels of `folder`.
inline WorkerSettings worker_settings(const std::filesystem::path& folder, Seconds deadline = Seconds(60)) {
  Options options;
  options.device = "host";
  options.kernel_paths = {folder};
  return {HIPTUNE_PROGRAM, options, deadline};
}

// While it lives, workers find the made-up modules of the amd backend, and MADE_UP_GPU has a value.
class MadeUpGpu {
 public:
  explicit MadeUpGpu(const char* wish = "") {
    ::setenv("LD_LIBRARY_PATH", MADE_UP_GPU_FOLDER, 1);
    ::setenv("MADE_UP_GPU", wish, 1);
  }
  ~MadeUpGpu() {
    ::unsetenv("LD_LIBRARY_PATH");
    ::unsetenv("MADE_UP_GPU");
  }
  MadeUpGpu(const MadeUpGpu&) = delete;
  MadeUpGpu& operator=(const MadeUpGpu&) = delete;
};

// Files and sockets that this process has open.
inline std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

}  // namespace hiptune::test
