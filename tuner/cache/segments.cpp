#include "cache/segments.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cache/files.hpp"

namespace hiptune {
namespace {

constexpr std::string_view kSegmentSuffix = ".json";
constexpr std::string_view kKeptAsideSuffix = ".damaged";

// Of git, macOS, NFS (files that are deleted but still open), Windows, Vim and Emacs.
constexpr std::array<std::string_view, 8> kLeftoverStarts{".git", ".DS_Store", "._",        ".nfs",
                                                          ".#",   "#",         "Thumbs.db", "desktop.ini"};
constexpr std::array<std::string_view, 3> kLeftoverEnds{"~", ".swp", ".swo"};

bool is_leftover(std::string_view name) {
  return std::ranges::any_of(kLeftoverStarts, [&](std::string_view start) { return name.starts_with(start); }) ||
         std::ranges::any_of(kLeftoverEnds, [&](std::string_view end) { return name.ends_with(end); });
}

Damage stray(const std::filesystem::path& path, const std::string& what, const std::string& advice) {
  return {path, 0, what, advice};
}

}  // namespace

Segments list_segments(const std::filesystem::path& folder) {
  Segments segments;
  for (const auto& path : list_folder(folder)) {
    const auto name = path.filename().string();
    if (is_temporary(path) || name.ends_with(kKeptAsideSuffix) || is_leftover(name)) continue;
    if (const auto kind = irregular_kind(path)) {
      segments.strays.push_back(stray(path, "is not a regular file but " + *kind, "move it elsewhere"));
    } else if (name.ends_with(kSegmentSuffix)) {
      segments.files.push_back(path);
    } else {
      segments.strays.push_back(stray(path, "an unknown file among the segments",
                                      "if it holds a result, give it a name that ends in .json, else remove it"));
    }
  }
  return segments;
}

}  // namespace hiptune
