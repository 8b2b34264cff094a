#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/record.hpp"

namespace hiptune {

// The file that a device and a kernel share: <root>/<device folder>/<kernel>.json.
struct CacheKey {
  std::string device;  // "x86_64-wave32-Intel-R-Xeon-R-Processor", made safe for paths
  std::string kernel;
  friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
};
[[nodiscard]] CacheKey cache_key(const Target& target, const std::string& kernel);

inline constexpr const char* kRestore =
    "restore the file from version control, or tune again (a copy of the damaged file is kept)";

// Something in the cache that cannot be used. It is reported and kept.
struct Damage {
  std::filesystem::path file;
  int line = 0;  // 0: the file as a whole
  std::string what;
  std::string advice = kRestore;
  std::optional<Record> claims = std::nullopt;  // what a damaged entry says of its problem; nothing else is filled in
};
// "FILE:LINE: WHAT"
[[nodiscard]] std::string to_string(const Damage& damage);

struct Loaded {
  std::vector<Record> records;  // sorted by problem, one per problem: the newest
  std::vector<Damage> damage;
};

// One cache folder. A writer appends a segment file of its own, so that two writers lose nothing, on NFS too; readers
// merge segments; whoever gets the lock compacts them into the one JSON file. All functions are safe to call from
// several processes at once; one Store object is for one thread at a time.
class Store {
 public:
  explicit Store(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path file_of(const CacheKey& key) const;

  // Every key with a file or anything among its segments, sorted. An absent folder has none.
  [[nodiscard]] std::vector<CacheKey> keys() const;

  // One record per problem: the newest, but one made from `sources`, the kernel's present ones, before any other.
  // Never throws for damaged content; throws Error(bad_input) for a file of a newer schema, which this version must
  // not touch, and Error(failed) for a folder or file that cannot be read, such as a FIFO in place of the file.
  [[nodiscard]] Loaded load(const CacheKey& key, const Fingerprints* sources = nullptr) const;

  // Throws Error(bad_input) now rather than after a long run: the folder is not writable, or the file is of a newer
  // schema.
  void require_writable(const CacheKey& key) const;

  // Writes a segment, then compacts if the lock is free. Replaces the entry of the same problem that is there, also one
  // with a later date: the record's revision is raised where it must be. A damaged file is copied aside before it is
  // replaced.
  void put(const CacheKey& key, const Record& record);
  // Merges the segments into the file, `sources` as in load; false when someone else holds the lock.
  bool compact(const CacheKey& key, const Fingerprints* sources = nullptr);
  // Removes the entries that are `unwanted`, and returns them; `sources` as in load. Removes nothing where the file or
  // a segment is damaged. Throws Error(failed) when someone else holds the lock.
  std::vector<Record> drop(const CacheKey& key, const Fingerprints* sources,
                           const std::function<bool(const Record&)>& unwanted);

 private:
  std::filesystem::path root_;
};

}  // namespace hiptune
