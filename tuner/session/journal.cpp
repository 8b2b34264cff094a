#include "session/journal.hpp"

#include <unistd.h>

#include <chrono>
#include <ctime>

#include <spdlog/fmt/fmt.h>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

std::string without_colons(std::string text) {
  std::erase(text, ':');  // not allowed in file names everywhere
  return text;
}

}  // namespace

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

Journal::Journal(const std::filesystem::path& folder, const std::string& kernel) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  file_ = folder / fmt::format("{}-{}-{}.jsonl", kernel, without_colons(utc_now()), ::getpid());
  stream_.open(file_, std::ios::app);
  if (!stream_) throw bad_input(file_.string() + ": cannot be written; choose another folder with --cache");
}

void Journal::append(const nlohmann::ordered_json& line) {
  stream_ << line.dump() << '\n' << std::flush;
  if (!stream_) throw failed(file_.string() + ": cannot be written; is the disk full?");
}

}  // namespace hiptune
