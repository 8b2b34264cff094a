#include "device/host/temporary_folder.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "hiptune/error.hpp"

namespace hiptune::host {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string pattern = parent / "hiptune-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw bad_input("cannot make a temporary folder in " + parent.string() + ": " + std::strerror(errno) +
                    "; set TMPDIR to a folder that can be written to and has room");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw bad_input("cannot write " + (path_ / name).string() + ": " + std::strerror(errno) +
                    "; set TMPDIR to a folder that can be written to and has room");
}

}  // namespace hiptune::host
