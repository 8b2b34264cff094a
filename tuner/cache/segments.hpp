#pragma once

#include <filesystem>
#include <vector>

#include "cache/store.hpp"

namespace hiptune {

// What lies in a kernel's folder of segments.
struct Segments {
  std::vector<std::filesystem::path> files;  // sorted
  // What might have been a segment, renamed or cut off, and so an entry that is lost. Not among them: what hiptune
  // itself leaves there, and what editors and systems do.
  std::vector<Damage> strays;
};

// Nothing where there is no such folder. Throws Error(failed) for a folder that cannot be listed.
[[nodiscard]] Segments list_segments(const std::filesystem::path& folder);

}  // namespace hiptune
