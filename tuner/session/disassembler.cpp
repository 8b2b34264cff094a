#include "session/disassembler.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include "device/host/process.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name;
  std::vector<std::string> options;
};

// What disassembles a backend's code objects.
struct Kind {
  std::string backend;
  std::vector<Program> programs;  // the best first
  std::string mend;
};

const Kind& kind_of(const std::string& backend) {
  static const std::array<Kind, 3> kinds{
      Kind{"amd",
           {{"llvm-objdump", {"--disassemble"}}},
           "no llvm-objdump is installed; install LLVM's (Debian: apt-get install llvm), or set ROCM_PATH to a ROCm "
           "that has llvm/bin/llvm-objdump"},
      Kind{"nvidia",
           {{"nvdisasm", {}}, {"cuobjdump", {"--dump-sass"}}},
           "neither nvdisasm nor cuobjdump is installed; install the CUDA toolkit's (packages cuda-nvdisasm and "
           "cuda-cuobjdump), or set CUDA_HOME to a toolkit that has them"},
      Kind{"host",
           {{"objdump", {"--disassemble"}}},
           "no objdump is installed; install binutils (Debian: apt-get install binutils)"}};
  const auto* const found = std::ranges::find(kinds, backend, &Kind::backend);
  if (found == kinds.end()) throw std::logic_error("a backend without a disassembler: " + backend);
  return *found;
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return ::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, ignored);
}

// 15 of "llvm-objdump-15" where the name is "llvm-objdump".
std::optional<int> version_in(const std::string& file, const std::string& name) {
  if (!file.starts_with(name + "-")) return std::nullopt;
  int version = 0;
  const char* const last = file.data() + file.size();
  const auto [end, error] = std::from_chars(file.data() + name.size() + 1, last, version);
  return error == std::errc() && end == last ? std::optional(version) : std::nullopt;
}

std::vector<fs::path> plain(const std::string& name, const std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders)
    if (is_program(folder / name)) found.push_back(folder / name);
  return found;
}

std::vector<fs::path> versioned(const std::string& name, const std::vector<fs::path>& folders) {
  std::vector<std::pair<int, fs::path>> found;
  for (const fs::path& folder : folders) {
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable))
      if (const auto version = version_in(entry.path().filename(), name); version && is_program(entry.path()))
        found.emplace_back(*version, entry.path());
  }
  std::ranges::stable_sort(found, std::greater(), &std::pair<int, fs::path>::first);
  std::vector<fs::path> files;
  for (auto& [version, file] : found) files.push_back(std::move(file));
  return files;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw bad_input(file.string() + ": cannot be written; choose another folder");
}

}  // namespace

std::vector<Disassembler> find_disassemblers(const std::string& backend, const std::vector<fs::path>& folders) {
  std::vector<Disassembler> found;
  for (const Program& program : kind_of(backend).programs)
    for (const auto& search : {plain, versioned})
      for (const fs::path& file : search(program.name, folders)) found.push_back({file, program.options});
  return found;
}

std::string no_disassembler(const std::string& backend) { return kind_of(backend).mend; }

// A code object's text takes milliseconds.
constexpr std::chrono::seconds kDeadline{60};

std::optional<std::string> disassemble(const std::vector<Disassembler>& disassemblers, const fs::path& code,
                                       const fs::path& text) {
  std::optional<std::string> why_not = "no disassembler is installed";
  for (const Disassembler& disassembler : disassemblers) {
    std::vector<std::string> command{fs::absolute(disassembler.program)};
    command.insert(command.end(), disassembler.options.begin(), disassembler.options.end());
    command.push_back(code.filename());  // not its whole path, which the text would repeat
    const host::ProcessResult result = host::run_process(command, code.parent_path(), kDeadline);
    if (result.succeeded) {
      write(text, result.output);
      return std::nullopt;
    }
    why_not = disassembler.program.string() + ": " + first_line(result.output);
  }
  return why_not;
}

}  // namespace hiptune
