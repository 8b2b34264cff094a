#include "dispatch/catalog.hpp"

#include <algorithm>
#include <set>

#include <spdlog/spdlog.h>

#include "cache/freshness.hpp"
#include "cache/store.hpp"

namespace hiptune {
namespace {

std::vector<std::int64_t> dimension_values(const Record& record) {
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : record.dimensions) values.push_back(value);
  return values;
}

void take(const CacheKey& key, const Record& record, const Kernel& kernel, Catalog& catalog) {
  const Verdict verdict = check_record(key, record, kernel);
  if (verdict.freshness != Freshness::fresh) {
    catalog.skipped.push_back(problem_key(record) + ": " + to_string(verdict.freshness) + ": " +
                              (verdict.reasons.empty() ? "" : verdict.reasons.front()));
    return;
  }
  catalog.entries.push_back({{dimension_values(record), record.dtype, record.traits}, record.config});
}

}  // namespace

Catalog load_catalog(const std::vector<std::filesystem::path>& roots, const Target& target, const Kernel& kernel,
                     Dtype dtype) {
  const CacheKey key = cache_key(target, kernel.name);
  Catalog catalog;
  std::set<std::string> seen;
  for (const std::filesystem::path& root : roots) {
    const Loaded loaded = Store(root).load(key);
    for (const Damage& damage : loaded.damage) spdlog::warn("{}: {}", damage.file.string(), damage.what);
    for (const Record& record : loaded.records)
      if (record.dtype == dtype && seen.insert(problem_key(record)).second) take(key, record, kernel, catalog);
  }
  for (const std::string& text : catalog.skipped) spdlog::warn("not used: {}", text);
  return catalog;
}

}  // namespace hiptune
