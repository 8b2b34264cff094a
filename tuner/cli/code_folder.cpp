#include "cli/code_folder.hpp"

#include <unistd.h>

#include "cache/safe_name.hpp"
#include "hiptune/error.hpp"

namespace hiptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 200;

Error unusable(const fs::path& folder, const std::string& why) {
  return bad_input("--isa: " + folder.string() + ": " + why + "; choose another folder");
}

fs::path make_folder(const fs::path& folder) {
  for (fs::path part; const fs::path& name : folder) {
    part /= name;
    if (fs::exists(part) && !fs::is_directory(part)) throw unusable(part, "is a file");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw unusable(folder, error.message());
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw unusable(folder, std::error_code(errno, std::generic_category()).message());
  return fs::absolute(folder);
}

std::string joined(const Assignment& assignment) {
  std::string text;
  for (const auto& [name, value] : assignment) text += "-" + name + "." + to_string(value);
  return text;
}

}  // namespace

CodeFolder::CodeFolder(const fs::path& root, const std::string& architecture, const std::string& backend,
                       const std::vector<fs::path>& tool_folders)
    : path_(make_folder(root / safe_name(architecture, kLongestName))),
      disassemblers_(find_disassemblers(backend, tool_folders)) {
  if (disassemblers_.empty()) notes_.insert(architecture + ": " + no_disassembler(backend));
}

fs::path CodeFolder::code_file(const std::string& name) const { return path_ / (name + ".co"); }

void CodeFolder::clear(const fs::path& code_file) const {
  for (const char* extension : {".co", ".s"}) {
    std::error_code error;
    fs::remove(fs::path(code_file).replace_extension(extension), error);
    if (error) throw unusable(code_file, error.message());
  }
}

std::optional<fs::path> CodeFolder::disassemble(const fs::path& code_file) {
  if (disassemblers_.empty()) return std::nullopt;
  const fs::path text = fs::path(code_file).replace_extension(".s");
  const auto why_not = hiptune::disassemble(disassemblers_, code_file, text);
  if (!why_not) return text;
  notes_.insert("not disassembled: " + *why_not);
  return std::nullopt;
}

std::string code_name(const std::string& kernel, const Problem& problem, const Config& config, bool names_problem) {
  std::string text = kernel;
  if (names_problem) text += "-" + to_string(problem.dtype) + joined(problem.traits);
  return safe_name(text + joined(config), kLongestName);
}

}  // namespace hiptune::cli
