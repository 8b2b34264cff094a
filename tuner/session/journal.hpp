#pragma once

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace hiptune {

// What a run did, as it did it: JSON Lines, one per trial with its raw samples, flushed line by line, so that nothing
// is lost when the run is.
class Journal {
 public:
  // Makes <folder>/<kernel>-<UTC date>-<pid>.jsonl. Throws Error(bad_input) when it cannot be written.
  Journal(const std::filesystem::path& folder, const std::string& kernel);

  void append(const nlohmann::ordered_json& line);
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
};

// Now, in UTC, to the millisecond: "2026-11-30T03:42:18.123Z".
[[nodiscard]] std::string utc_now();

}  // namespace hiptune
