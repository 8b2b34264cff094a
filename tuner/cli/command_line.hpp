#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/verb.hpp"

namespace hiptune::cli {

// Throws Error(bad_input) where the first words are not a verb and, for the verbs that take one, a kernel's name, as
// the kernel decides which options there are. Loads the kernel into the context; asked for help, it may be missing.
void read_verb_and_kernel(const std::vector<std::string>& words, Context& context);

// Says which file a kernel's name stands for, where others of the same name lie further back on the path.
void warn_of_shadowed(const KernelPath& path, const std::string& kernel);

void add_shared_options(CLI::App& command, Context& context);

// CLI11's message in terms of this program: which word is wrong, and what was meant.
[[nodiscard]] std::string explain(const CLI::ParseError& error, const std::vector<std::string>& words,
                                  const CLI::App& app);

}  // namespace hiptune::cli
