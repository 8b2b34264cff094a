#include "cache/code_store.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/files.hpp"
#include "cache/fingerprint.hpp"
#include "cache/record_parts.hpp"
#include "device/host/cpu_features.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

// The file: the hash of the rest in hex, a line of JSON with what is known of the code, then the code object.
constexpr std::size_t kHashDigits = 32;
// Part of the key, so that a file of another format is not looked at.
constexpr std::string_view kFormat = "2";
// Of the compiler's version, in the file's name: KEY-COMPILER.code.
constexpr std::size_t kCompilerDigits = 8;

std::string serialize(const CodeObject& code) {
  nlohmann::json about{{"isa_hash", code.isa_hash}, {"resources", nlohmann::json::array()}};
  for (const Resources& resources : code.resources) about["resources"].push_back(to_json(resources));
  std::string text = about.dump() + "\n";
  text.append(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  return fingerprint_bytes(text) + text;
}

std::optional<CodeObject> deserialize(const std::string& file) {
  const std::size_t line_end = file.find('\n', kHashDigits);
  if (file.size() < kHashDigits || line_end == std::string::npos) return std::nullopt;
  if (fingerprint_bytes(std::string_view(file).substr(kHashDigits)) != file.substr(0, kHashDigits)) return std::nullopt;
  // What the hash covers is what was written.
  const auto about = nlohmann::json::parse(file.substr(kHashDigits, line_end - kHashDigits));
  CodeObject code;
  code.isa_hash = about.at("isa_hash").get<std::string>();
  for (const auto& resources : about.at("resources")) code.resources.push_back(resources_from_json(Field(resources)));
  const auto* bytes = reinterpret_cast<const std::byte*>(file.data());
  code.bytes.assign(bytes + line_end + 1, bytes + file.size());
  return code;
}

// All that a compiler is given, and what is made for.
std::string content_of(const SourceFile& source, const std::vector<SourceFile>& headers,
                       const std::vector<std::string>& entry_points, const std::string& made_for) {
  std::string text = std::string(HIPTUNE_VERSION) + '\0' + std::string(kFormat) + '\0' + made_for + '\0' + source.name +
                     '\0' + source.text + '\0';
  for (const SourceFile& header : headers) text += header.name + '\0' + header.text + '\0';
  for (const std::string& entry : entry_points) text += entry + '\0';
  return text;
}

// Code for the CPU may use all that this one can do, and one of the same name may lack some of it.
std::string this_machine(const Target& target) { return target.backend == "host" ? host::cpu_features() : ""; }

std::optional<CodeObject> read_code(const std::filesystem::path& path) {
  std::optional<std::string> file;
  try {
    file = read_file(path);
  } catch (const Error& error) {
    log().warn("{}", error.what());  // compiled instead
  }
  if (!file) return std::nullopt;
  auto code = deserialize(*file);
  if (!code) log().warn("{}: damaged, compiled again", path.string());
  return code;
}

struct StoredFile {
  std::filesystem::path path;
  std::uintmax_t bytes;
  std::filesystem::file_time_type used;
};

// Files that others remove meanwhile are left out.
std::vector<StoredFile> files_in(const std::filesystem::path& folder) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
    const auto used = entry->last_write_time(gone);
    if (!gone && entry->is_regular_file(gone)) files.push_back({entry->path(), bytes, used});
  }
  return files;
}

// Empty: there is none, or it cannot run, which compiling then tells.
std::string version_of(const Compiler* compiler) {
  if (compiler == nullptr) return "";
  try {
    return compiler->version();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unavailable) throw;
    return "";
  }
}

}  // namespace

std::string CodeStore::key_of(const Variant& variant, const Target& target, const std::string& machine) {
  return fingerprint_bytes(content_of(variant.source, variant.headers, variant.entry_points,
                                      target.architecture + '\0' + target.name + '\0' + machine));
}

std::string CodeStore::key_of(const CompileRequest& request, const std::string& machine) {
  return fingerprint_bytes(
      content_of(request.source, request.headers, request.entry_points, request.architecture + '\0' + '\0' + machine));
}

std::string CodeStore::key_of(const Variant& variant, const Target& target) {
  return key_of(variant, target, this_machine(target));
}

std::filesystem::path CodeStore::file_of(const std::string& key, const std::string& compiler) const {
  return folder_ / key.substr(0, 2) / (key + "-" + fingerprint_bytes(compiler).substr(0, kCompilerDigits) + ".code");
}

std::optional<CodeObject> CodeStore::find_of_any_compiler(const std::string& key) const {
  try {
    for (const auto& path : list_folder(folder_ / key.substr(0, 2)))
      if (path.filename().string().starts_with(key + "-") && path.extension() == ".code")
        if (auto code = read_code(path)) return code;
  } catch (const Error& error) {
    log().warn("{}", error.what());
  }
  return std::nullopt;
}

std::optional<CodeObject> CodeStore::find(const std::string& key, const std::string& compiler) const {
  if (folder_.empty()) return std::nullopt;
  return compiler.empty() ? find_of_any_compiler(key) : read_code(file_of(key, compiler));
}

void CodeStore::put(const std::string& key, const std::string& compiler, const CodeObject& code) const {
  if (folder_.empty()) return;
  const std::filesystem::path file = file_of(key, compiler);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw failed(file.parent_path().string() + ": cannot be created: " + error.message());
  write_atomically(file, serialize(code));
}

void CodeStore::mark_used(const std::string& key, const std::string& compiler) const {
  std::error_code ignored;  // it is thrown out early
  std::filesystem::last_write_time(file_of(key, compiler), std::filesystem::file_time_type::clock::now(), ignored);
}

void CodeStore::shrink_to(std::uintmax_t bytes) const {
  if (folder_.empty()) return;
  std::vector<StoredFile> files = files_in(folder_);
  std::ranges::sort(files, std::greater<>(), &StoredFile::used);
  std::uintmax_t total = 0;
  for (const StoredFile& file : files) {
    total += file.bytes;
    std::error_code ignored;  // another process may be at it, too
    if (total > bytes) std::filesystem::remove(file.path, ignored);
  }
}

CodeObject CodeStore::find_or_compile(const Variant& variant, const Target& target, Compiler* compiler) const {
  const std::string key = key_of(variant, target);
  const std::string version = version_of(compiler);
  if (auto code = find(key, version)) return std::move(*code);
  if (compiler == nullptr)
    throw unavailable(variant.source.name + ": not among the stored code objects, and there is no compiler to make it");
  CompileResult result =
      compiler->compile({variant.source, variant.headers, variant.entry_points, target.architecture});
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(variant.source.name + " does not compile:\n" + failure->log);
  auto code = std::get<CodeObject>(std::move(result));
  try {
    put(key, version, code);
  } catch (const Error& error) {
    log().warn("{}", error.what());  // a read-only cache is no reason not to run
  }
  return code;
}

}  // namespace hiptune
