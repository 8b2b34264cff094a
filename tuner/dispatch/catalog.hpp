#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/record.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// A cache entry that can be used: legal for the kernel as it is, and made from its present sources.
struct TunedProblem {
  Problem problem;
  Config config;
};

struct Catalog {
  std::vector<TunedProblem> entries;
  std::vector<std::string> skipped;  // "rows=8 cols=64 dtype=f32: stale: the template changed …", for explanations
};

// The entries of one kernel, device and dtype; those of earlier roots overlay those of later ones.
[[nodiscard]] Catalog load_catalog(const std::vector<std::filesystem::path>& roots, const Target& target,
                                   const Kernel& kernel, Dtype dtype);

}  // namespace hiptune
