#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cache/record.hpp"
#include "hiptune/error.hpp"

namespace hiptune::made_up {

// A folder of the test's own, removed afterwards.
class Folder {
 public:
  Folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "hiptune-cache-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw failed(pattern + ": cannot be created");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline Target target() {
  Target target;
  target.backend = "host";
  target.id = "host:wave32";
  target.architecture = "x86_64-wave32";
  target.name = "Intel(R) Xeon(R) Processor";
  target.driver = "6.1.0";
  target.last_level_cache_bytes = 34603008;
  return target;
}

inline Record record(std::int64_t rows = 1024, const std::string& date = "2026-11-30T03:42:18.123Z") {
  Record record;
  record.dimensions = {{"rows", rows}, {"cols", 4096}};
  record.traits = {{"ALIGN", std::int64_t{16}}};
  record.config = {{"REDUCTION", std::string("lds_tree")}, {"BLOCK_SIZE", std::int64_t{256}}};
  record.timing = {{10250.5, 0.1, 40}, {9000.0, 1e-3, 7}};
  record.work_bytes = 33570816;
  record.yardstick = {"device copy", {{9800.25, 12.5, 40}, {8000, 1, 9}}};
  record.ties = {{{"REDUCTION", std::string("shuffle")}, {"BLOCK_SIZE", std::int64_t{128}}}};
  record.baselines = {{"unfused", record.config, record.timing, "timed"},
                      {"serial", record.ties[0], std::nullopt, "wrong: y[0, 3] is NaN"}};
  record.gate = {1.5e-7, 2.5e-6, 0.25, 12, 1.25e-7, "rows=3 cols=13 dtype=f32 ramp: y[1, 2]", "passed"};
  Resources resources;
  resources.vgprs = 24;
  resources.lds_bytes = 1024;
  record.provenance = {{"aa", "bb", "cc", "dd"},
                       {{"g++ 12.2.0", "ee", {resources, Resources{}}}},
                       target(),
                       date,
                       18446744073709551615ULL,
                       "0.1.0"};
  return record;
}

// What `action` throws; fails the test where it throws nothing.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return failed("nothing was thrown");
}

}  // namespace hiptune::made_up
