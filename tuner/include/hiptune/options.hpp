#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hiptune {

// What a user of the library or of the command line may set. Plain values: changing one after it was handed over has
// no effect.
struct Options {
  std::string device = "auto";                                  // "auto", "host", "host:wave64", …
  std::vector<std::filesystem::path> kernel_paths;              // kernel folders searched before the shipped ones
  std::vector<std::filesystem::path> environment_kernel_paths;  // kernel folders searched after the shipped ones
  std::filesystem::path cache;                                  // the user's, over the shipped one; empty: none
  std::string cxx_compiler = "c++";                             // of the host device, found on PATH
  std::filesystem::path temporary_directory = "/tmp";           // for files that a compiler needs

  // Where disassemblers are looked for, in order: PATH, and the folders of programs of ROCm and CUDA.
  std::vector<std::filesystem::path> tool_folders;

  // Reads HIPTUNE_KERNEL_PATH (folders separated by ':'), HIPTUNE_CACHE (else ~/.cache/hiptune, where HOME is set),
  // HIPTUNE_CXX, TMPDIR, PATH, ROCM_PATH and CUDA_HOME. The only function of the library that reads the environment.
  [[nodiscard]] static Options from_environment();
};

}  // namespace hiptune
