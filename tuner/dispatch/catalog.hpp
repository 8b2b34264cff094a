#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/record.hpp"
#include "hiptune/options.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// A cache entry that can be used: legal for the kernel as it is, and made from its present sources.
struct TunedProblem {
  Problem problem;
  Config config;
};

// Something in the caches that cannot be used.
struct Skipped {
  std::string problem;  // empty: a whole file
  std::string reason;   // "rows=8 cols=64 dtype=f32: stale: the template changed …"
};

// Where a dispatcher with these options looks: the user's cache, if there is one, then the shipped one.
[[nodiscard]] std::vector<std::filesystem::path> cache_roots(const Options& options);

struct Catalog {
  std::vector<TunedProblem> entries;
  std::vector<Skipped> skipped;
};

// The entries of one kernel, device and dtype; usable ones of earlier roots overlay those of later ones. Never fails:
// what cannot be used is skipped, with a warning in the log.
[[nodiscard]] Catalog load_catalog(const std::vector<std::filesystem::path>& roots, const Target& target,
                                   const Kernel& kernel, Dtype dtype);

}  // namespace hiptune
