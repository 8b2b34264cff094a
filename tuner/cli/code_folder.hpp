#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/config.hpp"
#include "session/disassembler.hpp"

namespace hiptune::cli {

// Where `compile --isa DIR` puts an architecture's code objects and their disassemblies: DIR/ARCH/NAME.co and NAME.s.
class CodeFolder {
 public:
  // Makes the folder. Throws Error(bad_input) where it cannot be made or written to.
  CodeFolder(const std::filesystem::path& root, const std::string& architecture, const std::string& backend,
             const std::vector<std::filesystem::path>& tool_folders);

  // The code object's file.
  [[nodiscard]] std::filesystem::path code_file(const std::string& name) const;
  // Removes what an earlier run left of it: before anybody compiles. Throws Error(bad_input) where it cannot.
  void clear(const std::filesystem::path& code_file) const;
  // Disassembles it; none, and a note, where that does not work.
  [[nodiscard]] std::optional<std::filesystem::path> disassemble(const std::filesystem::path& code_file);
  [[nodiscard]] const std::set<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<Disassembler> disassemblers_;
  std::set<std::string> notes_;
};

// "rmsnorm-REDUCTION.serial-BLOCK_SIZE.32": a name that every file system takes. `names_problem`: with what the problem
// compiles in, its dtype and traits.
[[nodiscard]] std::string code_name(const std::string& kernel, const Problem& problem, const Config& config,
                                    bool names_problem);

}  // namespace hiptune::cli
