#include <algorithm>

#include "hiptune/error.hpp"
#include "problem/config.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

namespace {

// Beyond these many configurations a space that rejects its fallback is reported as just that.
constexpr std::size_t kSearchedConfigs = 20000;

// Where the fallback must hold: a problem and a wave size.
struct Sample {
  Problem problem;
  TargetFacts facts;
};

std::vector<Problem> with_every_value(const Space& space, const std::vector<Problem>& problems, const Trait& trait) {
  std::vector<Problem> wider;
  for (const Problem& problem : problems) {
    for (const Value& value : trait.values) {
      if (why_impossible(space, trait, value, problem.dtype)) continue;
      wider.push_back(problem);
      wider.back().traits.emplace_back(trait.name, value);
    }
  }
  return wider;
}

std::vector<Problem> with_both_ends(const std::vector<Problem>& problems, const Dimension& dimension) {
  std::vector<Problem> wider;
  for (const Problem& problem : problems) {
    wider.push_back(problem);
    wider.back().dimensions.push_back(dimension.minimum);
    if (dimension.batch || dimension.maximum == dimension.minimum) continue;
    wider.push_back(problem);
    wider.back().dimensions.push_back(dimension.maximum);
  }
  return wider;
}

std::vector<Problem> sample_problems(const Space& space) {
  std::vector<Problem> problems;
  for (const Dtype dtype : space.dtypes) problems.push_back({{}, dtype, {}});
  for (const Dimension& dimension : space.dimensions) problems = with_both_ends(problems, dimension);
  for (const Trait& trait : space.traits) problems = with_every_value(space, problems, trait);
  return problems;
}

std::vector<Sample> samples_of(const Space& space) {
  std::vector<Sample> samples;
  for (const Problem& problem : sample_problems(space)) {
    for (const int wave_size : {32, 64}) {
      samples.push_back({problem, TargetFacts{}});
      samples.back().facts.wave_size = wave_size;
    }
  }
  return samples;
}

std::size_t config_count(const Space& space) {
  std::size_t count = 1;
  for (const Tunable& tunable : space.tunables) count = std::min(count * tunable.values.size(), kSearchedConfigs + 1);
  return count;
}

bool some_config_is_valid(const Space& space, const std::vector<Sample>& samples) {
  const std::vector<Config> configs = all_configs(space, {});
  return std::ranges::any_of(samples, [&](const Sample& sample) {
    return std::ranges::any_of(
        configs, [&](const Config& config) { return !why_invalid(space, sample.problem, sample.facts, config); });
  });
}

}  // namespace

void check_fallback(const Space& space) {
  const std::vector<Sample> samples = samples_of(space);
  for (const Sample& sample : samples) {
    const std::optional<std::string> why = why_invalid(space, sample.problem, sample.facts, space.fallback);
    if (!why) continue;
    if (config_count(space) <= kSearchedConfigs && !some_config_is_valid(space, samples)) {
      throw bad_input(Place{space.file, "/tunables"}.text() + ": no valid configuration: for the fallback, " + *why);
    }
    throw bad_input(Place{space.file, "/fallback"}.text() + ": must be valid everywhere, but for " +
                    to_string(space, sample.problem) + " and wave size " + std::to_string(sample.facts.wave_size) +
                    ": " + *why);
  }
}

}  // namespace hiptune
