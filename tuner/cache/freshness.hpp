#pragma once

#include <string>
#include <vector>

#include "cache/store.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

enum class Freshness { fresh, stale, damaged };
[[nodiscard]] std::string to_string(Freshness freshness);

struct Verdict {
  CacheKey key;
  std::string problem;  // empty where the whole file is meant
  Freshness freshness = Freshness::fresh;
  std::vector<std::string> reasons;  // each says what changed and what to do
};

// Whether an entry is legal for the kernel as it is now (its problem in range, its configuration in the space and
// allowed by the constraints on the recorded target, its ties and baselines in the space) and was made from these
// sources. Needs no device.
[[nodiscard]] Verdict check_record(const CacheKey& key, const Record& record, const Kernel& kernel);

// Every entry and every damage of a cache folder. A kernel that `path` does not know makes its entries stale.
[[nodiscard]] std::vector<Verdict> check_store(const Store& store, const KernelPath& path);

}  // namespace hiptune
