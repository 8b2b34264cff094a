#pragma once

#include <filesystem>
#include <string>

namespace hiptune::host {

// A fresh folder that only this user can enter, removed with all it holds. Not movable.
class TemporaryFolder {
 public:
  // Throws Error(bad_input), which names TMPDIR, when none can be made under `parent`.
  explicit TemporaryFolder(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // `name` is a plain file name. Throws Error(bad_input), which names TMPDIR, when the disk refuses.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace hiptune::host
