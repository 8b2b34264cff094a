#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hiptune {

// A program that is installed and turns a code object into text on its stdout.
struct Disassembler {
  std::filesystem::path program;
  std::vector<std::string> options;  // the code object's name comes last
};

// Those for a backend's code objects that lie in `folders`, in the order in which to try them: the plain names first,
// then those with versions ("llvm-objdump-15"), newest first.
[[nodiscard]] std::vector<Disassembler> find_disassemblers(const std::string& backend,
                                                           const std::vector<std::filesystem::path>& folders);

// "no llvm-objdump is installed; …": what to do where none is found.
[[nodiscard]] std::string no_disassembler(const std::string& backend);

// Writes what the first that succeeds says of `code` to `text`, in the same folder. Returns why there is none: the
// words of the last one tried. Throws Error(bad_input) where the text cannot be written.
[[nodiscard]] std::optional<std::string> disassemble(const std::vector<Disassembler>& disassemblers,
                                                     const std::filesystem::path& code,
                                                     const std::filesystem::path& text);

}  // namespace hiptune
