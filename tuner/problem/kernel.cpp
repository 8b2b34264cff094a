#include "problem/kernel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "hiptune/error.hpp"
#include "problem/identifier.hpp"
#include "problem/nearest.hpp"

namespace hiptune {

namespace {

namespace fs = std::filesystem;

// So that its files' names stay within the 255 bytes of file systems.
constexpr std::size_t kLongestName = 200;

const char* const kReferenceSuffix = ".reference.hip";

// Where the files of one kernel lie, whether they exist or not.
struct KernelFiles {
  fs::path source;
  fs::path reference;
  fs::path space;
};

// The folders of an installation, or one folder for everything.
fs::path templates_in(const fs::path& folder) {
  const fs::path nested = folder / "kernel_templates";
  return fs::is_directory(nested) ? nested : folder;
}

fs::path spaces_in(const fs::path& folder) {
  const fs::path nested = folder / "search_spaces";
  return fs::is_directory(nested) ? nested : folder;
}

KernelFiles files_of(const fs::path& folder, const std::string& name) {
  const fs::path templates = templates_in(folder);
  return {templates / (name + ".hip"), templates / (name + kReferenceSuffix), spaces_in(folder) / (name + ".json")};
}

bool holds(const fs::path& folder, const std::string& name) {
  const KernelFiles files = files_of(folder, name);
  return fs::exists(files.source) || fs::exists(files.space);
}

std::vector<std::string> names_in_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(templates_in(folder), error)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".hip") && !file.ends_with(kReferenceSuffix)) names.push_back(entry.path().stem().string());
  }
  return names;
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  std::error_code error;
  if (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0)
    throw bad_input(file.string() + ": the file is empty; write it, or take the kernel's file from where it is whole");
  if (!stream || !text) throw bad_input(file.string() + ": cannot be read");
  return text.str();
}

SourceFile read_source(const fs::path& file) { return {file.filename().string(), read_text(file)}; }

SourceFile read_device_layer() {
  const fs::path file = shared_data_folder() / "kernel_templates" / "include" / "hiptune_device.h";
  if (fs::exists(file)) return read_source(file);
  throw failed(file.string() + ": the device layer is missing; this installation of hiptune is incomplete");
}

void require_all_files(const std::string& name, const KernelFiles& files) {
  for (const fs::path& file : {files.source, files.reference, files.space}) {
    if (fs::exists(file)) continue;
    throw bad_input("the kernel \"" + name + "\" lacks " + file.string() + "; a kernel is the files " + name +
                    ".hip, " + name + kReferenceSuffix + " and " + name + ".json");
  }
}

Space read_space_file(const std::string& name, const fs::path& file) {
  Space space = read_space(read_text(file), file.string());
  if (space.kernel == name) return space;
  throw bad_input(Place{file.string(), "/kernel"}.text() + ": is \"" + excerpt(space.kernel) +
                  "\", but the file's name says \"" + name + "\"; make them equal");
}

Kernel load_from(const fs::path& folder, const std::string& name) {
  const KernelFiles files = files_of(folder, name);
  require_all_files(name, files);
  return {name,
          read_space_file(name, files.space),
          read_source(files.source),
          read_source(files.reference),
          read_device_layer(),
          files.source.parent_path()};
}

fs::path checked_user_folder(const fs::path& folder) {
  const std::string path = folder.string();
  if (!fs::is_directory(folder)) throw bad_input("--kernel-path " + path + ": there is no such folder");
  if (!names_in_folder(folder).empty()) return fs::canonical(folder);
  throw bad_input("--kernel-path " + path +
                  ": the folder holds no kernel; expected NAME.hip, NAME.reference.hip and NAME.json");
}

std::string texts_of(const std::vector<fs::path>& folders) {
  std::vector<std::string> texts;
  for (const fs::path& folder : folders) {
    texts.push_back(folder.string() + (fs::is_directory(folder) ? "" : " (not there)"));
  }
  return join(texts);
}

}  // namespace

KernelPath::KernelPath(const std::vector<fs::path>& user, const std::vector<fs::path>& environment) {
  for (const fs::path& folder : user) folders_.push_back(checked_user_folder(folder));
  folders_.push_back(shared_data_folder());
  folders_.insert(folders_.end(), environment.begin(), environment.end());
}

Kernel KernelPath::load(std::string_view name) const {
  const std::string text(name);
  const bool possible = !why_no_identifier(text) && text.size() <= kLongestName;
  for (const fs::path& folder : folders_) {
    if (possible && holds(folder, text)) return load_from(folder, text);
  }
  const std::vector<std::string> known = names();
  throw bad_input("there is no kernel \"" + excerpt(text) + "\"" + did_you_mean(text, known) + "; there are " +
                  join(known) + "; searched " + texts_of(folders_) +
                  "; a kernel of your own is found with --kernel-path FOLDER or $HIPTUNE_KERNEL_PATH");
}

std::vector<fs::path> KernelPath::files(std::string_view name) const {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders_) {
    const KernelFiles files = files_of(folder, std::string(name));
    const fs::path& file = fs::exists(files.source) ? files.source : files.space;
    const auto same = [&](const fs::path& other) { return fs::equivalent(file, other); };
    if (fs::exists(file) && std::ranges::none_of(found, same)) found.push_back(file);
  }
  return found;
}

std::vector<std::string> KernelPath::names() const {
  std::vector<std::string> all;
  for (const fs::path& folder : folders_) {
    for (std::string& name : names_in_folder(folder)) all.push_back(std::move(name));
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

std::filesystem::path shared_data_folder() {
  // Any address within the library will do.
  static const char anchor = 0;
  Dl_info library{};
  if (dladdr(&anchor, &library) == 0 || library.dli_fname == nullptr) {
    throw failed("the running hiptune library cannot be found on disk");
  }
  return fs::weakly_canonical(fs::canonical(library.dli_fname).parent_path() / ".." / "share" / "hiptune");
}

}  // namespace hiptune
