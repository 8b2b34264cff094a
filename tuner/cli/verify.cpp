#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "problem/config.hpp"
#include "problem/enumeration.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

struct VerifyOptions {
  ProblemOptions problem;
  VariantOptions variants;
  bool precheck = false;
};

// Errors only where something was compared.
std::string errors_of(const Trial& trial) {
  if (!trial.is_good() && trial.errors.in_limits == 0) return "";
  return " " + counted(static_cast<std::size_t>(trial.checks), "check") + ", " + format_errors(trial.errors);
}

std::string with_newline(const std::string& text) { return text.empty() ? "" : text + "\n"; }

void print_trial(const std::string& problem, const Trial& trial, std::size_t width, bool json) {
  if (json) return print_json({{"trial", to_json(trial)}, {"problem", problem}});
  print(fmt::format("  {:<{}} {:<14}{}{}", to_string(trial.config), width, to_string(trial.outcome), errors_of(trial),
                    trial.detail.empty() ? "" : " " + headline(trial.detail, 240)));
}

// What passed the gate, on the CPU under everything that only the CPU sees.
void precheck(Coordinator& coordinator, const std::string& kernel, const Problem& problem, std::uint64_t seed,
              Trial& trial) {
  const PrecheckVerdict verdict = coordinator.precheck(kernel, problem, trial.config, seed);
  if (verdict.is_rejected()) trial.outcome = Outcome::wrong;
  if (!verdict.detail.empty()) trial.detail = "precheck on the CPU: " + to_string(verdict);
}

std::vector<Config> next_of(const std::vector<Config>& configs, std::size_t first, std::size_t count) {
  const auto begin = configs.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(count, configs.size() - first))};
}

// What needs more than its space allows was not checked, and is no failure.
int conclude(const std::vector<Trial>& all, const Tolerance& tolerance, bool json) {
  const Tally tally = tally_of(all);
  const std::string failures = failures_by_kind(all);
  if (json)
    print_json({{"result", tally.is_good() ? "passed" : "failed"},
                {"passed", tally.good},
                {"variants", tally.tried},
                {"rejected", tally.rejected},
                {"failures", failures}});
  else
    print(with_newline(accuracy_of(all, tolerance)) +
          fmt::format("{} of {} passed; failures: {}", tally.good, counted(tally.tried, "variant"), failures) +
          rejected_variants(all) + first_failure(all));
  return tally.is_good() ? kDone : kNothingUsable;
}

int run(Context& context, const VerifyOptions& options) {
  const Space& space = context.kernel->space;
  const std::vector<Problem> problems = options.problem.problems(space);
  (void)parse_restriction(space, options.variants.fixed);  // bad input shows before a worker starts
  Coordinator coordinator(options.variants.worker_settings(context.options));
  require_memory(space, problems, coordinator.target());
  std::vector<Trial> all;
  for (const Problem& problem : problems) {
    const ChosenVariants chosen = options.variants.configs(space, problem, coordinator.target().facts);
    const std::vector<Config>& configs = chosen.configs;
    if (!context.json)
      print(fmt::format("{} {} on {}: {}", space.kernel, to_string(space, problem), coordinator.target().id,
                        counted_variants(chosen)));
    coordinator.prepare(space.kernel, problem, options.variants.seed);
    for (std::size_t i = 0; i < configs.size(); ++i) {
      const Config& config = configs[i];
      coordinator.expect(next_of(configs, i, coordinator.lookahead()));
      all.push_back(coordinator.run(config, std::nullopt));
      if (options.precheck && all.back().is_good())
        precheck(coordinator, space.kernel, problem, options.variants.seed, all.back());
      print_trial(to_string(space, problem), all.back(), config_width(space), context.json);
    }
  }
  return conclude(all, space.tolerance, context.json);
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<VerifyOptions>();
  if (context.kernel) options->problem.add_to(command, context.kernel->space);
  options->variants.add_fix_to(command, context.kernel ? &context.kernel->space : nullptr);
  options->variants.add_to(command);
  options->variants.add_covering_to(command);
  options->variants.add_jobs_to(command);
  command.add_flag("--precheck", options->precheck,
                   "what passes is also checked on the CPU, as before it is stored: races, bounds, orders of threads");
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb verify_verb() {
  return {"verify", "Check variants against the oracle, without timing", Verb::Takes::kernel, configure, false};
}

}  // namespace hiptune::cli
