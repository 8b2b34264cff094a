#pragma once

#include <functional>
#include <optional>
#include <string>

#include "device/target.hpp"
#include "problem/variant.hpp"
#include "session/trial.hpp"

namespace hiptune {

// Told what is about to happen ("compile", "load", "gate", "time"), before it does: a crash is then known by its phase.
using PhaseListener = std::function<void(const std::string& phase)>;

// A trial as far as its compiler took it.
struct Compilation {
  Trial trial;  // `compiled`, or `invalid` or `compile_failed` with the reason
  Plan plan;
  std::optional<CodeObject> code;  // where it compiled
};

// Needs no device. Throws the compiler's Error where it cannot run.
[[nodiscard]] Compilation compile_config(const Kernel& kernel, const Problem& problem, const Target& target,
                                         const Config& config, Compiler& compiler, const PhaseListener& phase);

}  // namespace hiptune
