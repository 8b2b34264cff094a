#include "hiptune/options.hpp"

#include <cstdlib>
#include <sstream>

#include "dispatch/paths.hpp"

namespace hiptune {
namespace {

// An empty variable counts as unset.
std::string environment(const char* name, const std::string& otherwise = "") {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

}  // namespace

std::vector<std::filesystem::path> split_paths(const std::string& text) {
  std::vector<std::filesystem::path> paths;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');)
    if (!part.empty()) paths.emplace_back(part);
  return paths;
}

Options Options::from_environment() {
  Options options;
  options.environment_kernel_paths = split_paths(environment("HIPTUNE_KERNEL_PATH"));
  const std::string home = environment("HOME");
  options.cache = environment("HIPTUNE_CACHE", home.empty() ? "" : home + "/.cache/hiptune");
  options.cxx_compiler = environment("HIPTUNE_CXX", "c++");
  options.tool_folders = split_paths(environment("PATH", "/usr/bin:/bin"));
  options.tool_folders.push_back(std::filesystem::path(environment("ROCM_PATH", "/opt/rocm")) / "llvm/bin");
  options.tool_folders.push_back(std::filesystem::path(environment("CUDA_HOME", "/usr/local/cuda")) / "bin");
  options.temporary_directory = environment("TMPDIR", "/tmp");
  return options;
}

}  // namespace hiptune
