#include "cache/retune.hpp"

#include <algorithm>
#include <cctype>

namespace hiptune {
namespace {

constexpr std::string_view kPlain = "/._-+=:@%,";

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos; }

bool is_default(const Space& space, const std::string& name, const Value& value) {
  const auto* trait = space.find_trait(name);
  return trait != nullptr && trait->values.at(trait->default_index) == value;
}

}  // namespace

std::string shell_word(const std::string& text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word.append(c == '\'' ? "'\\''" : std::string(1, c));
  return word.append("'");
}

std::string kernel_path_words(const Kernel& kernel) {
  const auto shipped = shared_data_folder();
  if (kernel.folder == shipped || kernel.folder == shipped / "kernel_templates") return "";
  const bool nested = kernel.folder.filename() == "kernel_templates" &&
                      std::filesystem::is_directory(kernel.folder.parent_path() / "search_spaces");
  return " --kernel-path " + shell_word((nested ? kernel.folder.parent_path() : kernel.folder).string());
}

std::string tune_command(const Kernel& kernel, const Problem& problem, Objective objective, const std::string& device,
                         const std::filesystem::path& cache) {
  const auto& space = kernel.space;
  auto command = "hiptune tune " + space.kernel;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i)
    command += " --" + space.dimensions[i].name + " " + std::to_string(problem.dimensions[i]);
  if (problem.dtype != space.dtypes.front()) command += " --dtype " + to_string(problem.dtype);
  for (const auto& [name, value] : problem.traits)
    if (!is_default(space, name, value)) command += " --trait " + name + "=" + to_string(value);
  if (objective != Objective::cold) command += " --objective " + to_string(objective);
  if (!device.empty()) command += " --device " + shell_word(device);
  if (!cache.empty()) command += " --cache " + shell_word(cache.string());
  return command + kernel_path_words(kernel);
}

std::string prune_command(const Kernel& kernel, const std::filesystem::path& cache) {
  std::string command = "hiptune check";
  if (!cache.empty()) command.append(" ").append(shell_word(cache.string()));
  return command + " --prune" + kernel_path_words(kernel);
}

}  // namespace hiptune
