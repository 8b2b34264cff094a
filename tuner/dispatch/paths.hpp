#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hiptune {

// The folders of "first:second", as environment variables list them; empty parts do not count.
[[nodiscard]] std::vector<std::filesystem::path> split_paths(const std::string& text);

}  // namespace hiptune
