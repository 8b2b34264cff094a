#include "cache/store.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>

#include "cache/document.hpp"
#include "cache/files.hpp"
#include "cache/fingerprint.hpp"
#include "cache/record_json.hpp"
#include "cache/segments.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileSuffix = ".json";
constexpr const char* kSegmentsSuffix = ".segments";

fs::path with_suffix(const fs::path& file, const std::string& suffix) {
  return file.parent_path() / (file.stem().string() + suffix);
}
fs::path segments_of(const fs::path& file) { return with_suffix(file, kSegmentsSuffix); }

void append(Loaded& all, Loaded&& part) {
  all.records.insert(all.records.end(), part.records.begin(), part.records.end());
  all.damage.insert(all.damage.end(), part.damage.begin(), part.damage.end());
}

// A key's file and segments as they are on disk.
struct Contents {
  std::optional<std::string> main_text;
  bool main_damaged = false;
  std::vector<fs::path> sound_segments;
  std::vector<fs::path> damaged_segments;
  Loaded loaded;  // unmerged
};

void add_segment(Contents& contents, const fs::path& segment, const std::string& kernel) {
  const auto text = read_file(segment);
  if (!text) return;  // merged by now into the main file, which is read last
  auto part = read_document(*text, segment, kernel);
  (part.damage.empty() ? contents.sound_segments : contents.damaged_segments).push_back(segment);
  append(contents.loaded, std::move(part));
}

void add_main(Contents& contents, const fs::path& file, const std::string& kernel) {
  contents.main_text = read_file(file);
  if (!contents.main_text) return;
  auto part = read_document(*contents.main_text, file, kernel);
  contents.main_damaged = !part.damage.empty();
  append(contents.loaded, std::move(part));
}

// Segments first: whoever compacts removes a segment only once the main file holds its entry, so reading in this
// order misses none.
Contents read_contents(const fs::path& file, const std::string& kernel, const Fingerprints* sources) {
  Contents contents;
  auto segments = list_segments(segments_of(file));
  for (const auto& segment : segments.files) add_segment(contents, segment, kernel);
  append(contents.loaded, {{}, std::move(segments.strays)});
  add_main(contents, file, kernel);
  contents.loaded.records = newest_per_problem(contents.loaded.records, sources);
  return contents;
}

// Named after its content, so that keeping the same damage twice makes one copy; a copy that was changed since then
// stays as well.
void keep_aside(const fs::path& file, const std::string& text) {
  const auto base = file.string() + ".damaged-" + fingerprint_bytes(text);
  auto copy = base;
  for (int number = 2; path_exists(copy); ++number) {
    if (read_file(copy) == text) return;
    copy = base + "-" + std::to_string(number);
  }
  write_atomically(copy, text);
  log().warn("{} is damaged: a copy is kept as {}, and what is sound in it is used", file.string(), copy);
}

void write_merged(const fs::path& file, const std::string& kernel, const Contents& contents) {
  const auto text = document_text(kernel, contents.loaded.records);
  if (contents.main_text == text) return;
  if (contents.main_damaged) keep_aside(file, *contents.main_text);
  write_atomically(file, text);
}

// Whose sound entries, if any, are merged by now.
void retire_segments(const Contents& contents) {
  for (const auto& segment : contents.sound_segments) remove_file(segment);
  for (const auto& segment : contents.damaged_segments) {
    const auto copy = segment.string() + ".damaged";
    rename_file(segment, copy);
    log().warn("{} is damaged: it is kept as {}", segment.string(), copy);
  }
}

// Of writers that died. A living one needs far less than a day.
void remove_old_temporaries(const fs::path& folder, const std::string& of_file) {
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& path : list_folder(folder)) {
    std::error_code gone;
    const bool ours = is_temporary(path) && path.filename().string().compare(1, of_file.size(), of_file) == 0;
    if (ours && fs::last_write_time(path, gone) < yesterday && !gone) fs::remove(path, gone);
  }
}

fs::path write_segment(const fs::path& file, const std::string& kernel, const Record& record) {
  const auto folder = segments_of(file);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw failed(folder.string() + ": cannot be created: " + error.message());
  auto segment = folder / (unique_name() + kFileSuffix);
  write_atomically(segment, document_text(kernel, {record}));
  return segment;
}

// The entry of the record's problem that is there. What cannot be read is for compact() to report.
std::optional<Record> present_entry(const Store& store, const CacheKey& key, const Record& record) {
  try {
    for (auto& present : store.load(key).records)
      if (problem_key(present) == problem_key(record)) return std::move(present);
  } catch (const Error& error) {
    log().debug("{}", error.what());
  }
  return std::nullopt;
}

// The record with a revision that makes it newer than what is there.
Record newest_of_all(const Store& store, const CacheKey& key, Record record) {
  const auto present = present_entry(store, key, record);
  if (!present) return record;
  auto& revision = record.provenance.revision;
  revision = std::max(revision, present->provenance.revision);
  const bool is_the_same = checksum_of(record) == checksum_of(*present);
  if (!is_the_same && !is_newer(record, *present)) revision = std::min(revision + 1, kMaxRevision);
  return record;
}

// One, however many links lead to the file.
std::optional<FileLock> lock_of(const fs::path& file) {
  return FileLock::acquire(with_suffix(final_target(file), ".lock"));
}

// What stands where a folder of segments should be is for load() to report.
bool has_segments(const fs::path& folder) {
  std::error_code unreadable;
  if (!fs::is_directory(folder, unreadable)) return true;
  const auto segments = list_segments(folder);
  return !segments.files.empty() || !segments.strays.empty();
}

// The kernel that a path in a device's folder belongs to.
std::optional<std::string> kernel_of(const fs::path& path) {
  const auto name = path.filename().string();
  if (name.starts_with('.')) return std::nullopt;
  if (path.extension() == kFileSuffix) return path.stem().string();
  if (path.extension() == kSegmentsSuffix && has_segments(path)) return path.stem().string();
  return std::nullopt;
}

}  // namespace

std::string to_string(const Damage& damage) {
  auto text = damage.file.string();
  if (damage.line > 0) text.append(":").append(std::to_string(damage.line));
  return text.append(": ").append(damage.what);
}

fs::path Store::file_of(const CacheKey& key) const { return root_ / key.device / (key.kernel + kFileSuffix); }

std::vector<CacheKey> Store::keys() const {
  std::set<CacheKey> keys;
  for (const auto& device : list_folder(root_)) {
    std::error_code unreadable;
    if (!fs::is_directory(device, unreadable) || device.filename().string().starts_with('.')) continue;
    for (const auto& path : list_folder(device)) {
      if (const auto kernel = kernel_of(path)) keys.insert({device.filename().string(), *kernel});
    }
  }
  return {keys.begin(), keys.end()};
}

Loaded Store::load(const CacheKey& key, const Fingerprints* sources) const {
  return read_contents(file_of(key), key.kernel, sources).loaded;
}

void Store::require_writable(const CacheKey& key) const {
  const auto file = file_of(key);
  try {
    probe_writable(file.parent_path());
    probe_writable(segments_of(file));
    probe_writable(final_target(file).parent_path());
  } catch (const Error& error) {
    throw bad_input(std::string(error.what()) + ": choose another folder with --cache");
  }
  static_cast<void>(load(key));
}

void Store::put(const CacheKey& key, const Record& record) {
  const auto segment = write_segment(file_of(key), key.kernel, newest_of_all(*this, key, record));
  try {
    compact(key, &record.provenance.fingerprints);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(error.what()) + "; the new entry is kept in " + segment.string());
  }
}

bool Store::compact(const CacheKey& key, const Fingerprints* sources) {
  const auto file = file_of(key);
  if (!path_exists(file.parent_path())) return true;
  const auto target = final_target(file);
  const auto lock = lock_of(file);
  if (!lock) return false;
  remove_old_temporaries(target.parent_path(), target.filename().string());
  remove_old_temporaries(segments_of(file), "");
  const auto contents = read_contents(file, key.kernel, sources);
  if (contents.main_text || !contents.loaded.records.empty()) write_merged(file, key.kernel, contents);
  retire_segments(contents);
  return true;
}

std::vector<Record> Store::drop(const CacheKey& key, const Fingerprints* sources,
                                const std::function<bool(const Record&)>& unwanted) {
  const auto file = file_of(key);
  const auto lock = lock_of(file);
  if (!lock) throw failed(file.string() + ": another process is writing it; try again");
  auto contents = read_contents(file, key.kernel, sources);
  if (contents.main_damaged || !contents.damaged_segments.empty()) return {};
  auto& records = contents.loaded.records;
  const auto first = std::stable_partition(records.begin(), records.end(), std::not_fn(unwanted));
  std::vector<Record> dropped(first, records.end());
  if (dropped.empty()) return {};
  records.erase(first, records.end());
  write_merged(file, key.kernel, contents);
  retire_segments(contents);
  return dropped;
}

}  // namespace hiptune
