#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hiptune/options.hpp"
#include "problem/kernel.hpp"

namespace hiptune::cli {

// Exit codes of every verb. check adds two of its own.
inline constexpr int kDone = 0;
inline constexpr int kNothingUsable = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kUnavailable = 3;
inline constexpr int kStale = 4;
inline constexpr int kDamaged = 5;
inline constexpr int kInternalError = 70;

// What all verbs share. Filled in before a verb runs.
struct Context {
  Options options;
  std::optional<Kernel> kernel;  // of verbs that take one
  bool json = false;

  [[nodiscard]] KernelPath kernel_path() const { return {options.kernel_paths, options.environment_kernel_paths}; }
};

using Action = std::function<int(Context&)>;

// One verb: a file of its own that defines a function returning this, and a row in verbs.cpp.
struct Verb {
  std::string name;
  std::string summary;
  enum class Takes { nothing, kernel } takes = Takes::nothing;
  // Adds the verb's own options to the command. With a kernel in the context, also those that its space declares.
  Action (*configure)(CLI::App& command, const Context& context) = nullptr;
  bool hidden = false;
};

[[nodiscard]] const std::vector<Verb>& verbs();

[[nodiscard]] Verb devices_verb();
[[nodiscard]] Verb tune_verb();
[[nodiscard]] Verb verify_verb();
[[nodiscard]] Verb compile_verb();
[[nodiscard]] Verb show_verb();
[[nodiscard]] Verb dispatch_verb();
[[nodiscard]] Verb bench_verb();
[[nodiscard]] Verb check_verb();
[[nodiscard]] Verb worker_verb();

}  // namespace hiptune::cli
