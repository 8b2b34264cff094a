#pragma once

#include <optional>

#include "device/loaded_plan.hpp"
#include "measure/timer.hpp"
#include "session/timed_variant.hpp"

namespace hiptune {

// Who is timed side by side with others, checked and warmed up in this process.
struct Finalist {
  // A variant: not of the device's own copy.
  struct Loaded {
    Config config;
    LoadedPlan plan;
    std::optional<TimedVariant> variant;
  };
  Timer* timer;  // of the rotation that it is launched over, which others share
  std::optional<Loaded> loaded{};
  LaunchOver launch{};
  Timer::Batch batch{};

  void warm_up(Objective objective) {
    batch = objective == Objective::cold ? timer->cold_batch(launch) : timer->warm_batch(launch);
  }
  // Nanoseconds per launch of one batch.
  [[nodiscard]] double sample() const { return timer->led_sample(launch, batch); }
};

}  // namespace hiptune
