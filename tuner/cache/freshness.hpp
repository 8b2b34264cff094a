#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/store.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

enum class Freshness {
  fresh,
  stale,
  unknown,  // there is no such kernel among those that are searched
  damaged,
};
[[nodiscard]] std::string to_string(Freshness freshness);

struct Verdict {
  CacheKey key;
  std::string problem;  // empty where the whole file is meant, or what is left of an entry does not say
  Freshness freshness = Freshness::fresh;
  std::vector<std::string> reasons{};  // what changed, or is wrong
  std::string command{};               // what to run, as it stands; empty where no command mends it
};

// The problem that an entry was tuned for, as the kernel calls it now. Throws Error(bad_input): it has none such.
[[nodiscard]] Problem problem_now(const Record& record, const Space& space);
// Whether no call of the kernel can mean the entry's problem: it is gone, or called otherwise since a trait was added
// or a dimension renamed.
[[nodiscard]] bool is_orphan(const Record& record, const Space& space);

// Whether an entry is legal for the kernel as it is now (its problem in range, its configuration in the space and
// allowed by the constraints on the recorded target, its ties and baselines in the space) and was made from these
// sources. Needs no device. `cache`, for the command: the folder to tune into; empty: the user's.
[[nodiscard]] Verdict check_record(const CacheKey& key, const Record& record, const Kernel& kernel,
                                   const std::filesystem::path& cache = {});

// Every entry and every damage of a cache folder.
[[nodiscard]] std::vector<Verdict> check_store(const Store& store, const KernelPath& path);

// Removes the orphans among the entries of kernels that `path` knows, and says what they were. What is damaged stays,
// and so do the entries beside it and those of unknown kernels.
[[nodiscard]] std::vector<Verdict> prune_store(Store& store, const KernelPath& path);

}  // namespace hiptune
