#include "session/valid_configs.hpp"

#include <spdlog/fmt/fmt.h>

#include "hiptune/error.hpp"
#include "problem/variant.hpp"

namespace hiptune {

std::vector<Config> valid_configs(const Space& space, const Problem& problem, const TargetFacts& facts,
                                  const Assignment& fixed, Invalid* invalid) {
  std::vector<Config> valid;
  Invalid left_out;
  for (Config& config : all_configs(space, fixed)) {
    if (const auto why = why_invalid(space, problem, facts, config))
      left_out = {left_out.count + 1, to_string(config) + ": " + *why};
    else
      valid.push_back(std::move(config));
  }
  if (valid.empty())
    throw bad_input(fmt::format("{}: no valid configuration for {}{}; the last one tried: {}", space.file,
                                to_string(space, problem), fixed.empty() ? "" : " with " + to_string(fixed),
                                left_out.example));
  if (invalid != nullptr) *invalid = std::move(left_out);
  return valid;
}

}  // namespace hiptune
