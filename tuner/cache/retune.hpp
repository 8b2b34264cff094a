#pragma once

#include <filesystem>
#include <string>

#include "cache/record.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// Commands for people, to be pasted into a shell as they stand.

// "hiptune tune scale --rows 8 --cols 64 --trait W=none --device host --cache DIR --kernel-path DIR": `--dtype`,
// `--trait` and `--objective` only where they differ from what `tune` takes by default, `--kernel-path` for kernels
// that do not ship. An empty `device` or `cache` is left out.
[[nodiscard]] std::string tune_command(const Kernel& kernel, const Problem& problem, Objective objective,
                                       const std::string& device, const std::filesystem::path& cache);

// "hiptune check DIR --prune --kernel-path DIR"
[[nodiscard]] std::string prune_command(const Kernel& kernel, const std::filesystem::path& cache);

// The text as one word of a shell's command line: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& text);

// " --kernel-path DIR", nothing for a kernel that ships.
[[nodiscard]] std::string kernel_path_words(const Kernel& kernel);

}  // namespace hiptune
