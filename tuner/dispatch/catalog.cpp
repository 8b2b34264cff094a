#include "dispatch/catalog.hpp"

#include <set>

#include <spdlog/fmt/fmt.h>

#include "cache/fingerprint.hpp"
#include "cache/freshness.hpp"
#include "cache/store.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

std::vector<std::int64_t> dimension_values(const Record& record) {
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : record.dimensions) values.push_back(value);
  return values;
}

// Collects usable entries, the first of each problem.
class Collector {
 public:
  Collector(const CacheKey& key, const Kernel& kernel, Dtype dtype, std::filesystem::path user_cache)
      : key_(key),
        kernel_(kernel),
        sources_(fingerprints_of(kernel)),
        dtype_(dtype),
        user_cache_(std::move(user_cache)) {}

  void add(const std::filesystem::path& root) {
    try {
      const Loaded loaded = Store(root).load(key_, &sources_);
      for (const Damage& damage : loaded.damage) skip("", to_string(damage));
      for (const Record& record : loaded.records)
        if (record.dtype == dtype_ && !taken_.contains(problem_key(record))) add(record);
    } catch (const Error& error) {  // of a newer schema, or unreadable
      skip("", error.what());
    }
  }

  Catalog take() { return std::move(catalog_); }

 private:
  void add(const Record& record) {
    const Verdict verdict = check_record(key_, record, kernel_, user_cache_);
    if (verdict.freshness != Freshness::fresh)
      return skip(verdict.problem, fmt::format("{}: {}: {}{}", verdict.problem, to_string(verdict.freshness),
                                               fmt::join(verdict.reasons, "; "),
                                               verdict.command.empty() ? "" : "; run `" + verdict.command + "`"));
    taken_.insert(verdict.problem);
    catalog_.entries.push_back({{dimension_values(record), record.dtype, record.traits}, record.config});
  }

  void skip(const std::string& problem, const std::string& reason) {
    log().warn("{}: not used: {}", kernel_.name, reason);
    catalog_.skipped.push_back({problem, reason});
  }

  const CacheKey& key_;
  const Kernel& kernel_;
  Fingerprints sources_;
  Dtype dtype_;
  std::filesystem::path user_cache_;  // where `tune` stores; empty: there is none
  std::set<std::string> taken_;
  Catalog catalog_;
};

}  // namespace

std::vector<std::filesystem::path> cache_roots(const Options& options) {
  std::vector<std::filesystem::path> roots;
  if (!options.cache.empty()) roots.push_back(options.cache);
  roots.push_back(shared_data_folder() / "cache");
  return roots;
}

Catalog load_catalog(const std::vector<std::filesystem::path>& roots, const Target& target, const Kernel& kernel,
                     Dtype dtype) {
  const CacheKey key = cache_key(target, kernel.name);
  Collector collector(key, kernel, dtype, roots.size() > 1 ? roots.front() : "");
  for (const std::filesystem::path& root : roots) collector.add(root);
  return collector.take();
}

}  // namespace hiptune
