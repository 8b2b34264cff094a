#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace hiptune {

// Cores that this process may use: those it may run on, and no more than its control groups let it take; at least 1.
[[nodiscard]] std::size_t usable_cores();

// What control groups allow: cores, as a fraction; of /proc/self/cgroup's text, with the groups' files below `root`
// (/sys/fs/cgroup). None: no limit, or nothing that says so.
[[nodiscard]] std::optional<double> quota_of_groups(const std::string& groups, const std::filesystem::path& root);

}  // namespace hiptune
