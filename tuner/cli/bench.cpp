#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "cli/command_line.hpp"
#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "measure/statistics.hpp"
#include "session/contest.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  ProblemOptions problem;
  VariantOptions variants;
  TimingOptions timing;
  std::string objective = "both";

  [[nodiscard]] std::vector<Objective> objectives() const {
    if (const auto one = parse_objective(objective)) return {*one};
    return {Objective::cold, Objective::warm};
  }
};

// Who may take part: the winner, the baselines, and copies of both modes beside the device's own.
std::size_t most_contenders(const Space& space) {
  constexpr std::size_t kMostCopies = 3;
  return 1 + space.baselines.size() + kMostCopies;
}

ContestRequest request_for(const BenchOptions& options, const Problem& problem, const Space& space) {
  constexpr int kRounds = 30;
  ContestRequest request;
  request.problem = problem;
  request.objectives = options.objectives();
  request.timing = options.timing.limits();
  request.seed = options.variants.seed;
  // All are timed in every round: what is asked for is a comparison, and not a winner.
  const bool is_exact = options.timing.samples > 0;
  request.limits.min_rounds = request.limits.max_rounds = is_exact ? options.timing.samples : kRounds;
  const Seconds each = is_exact ? options.timing.samples * std::max(Seconds(options.timing.budget_seconds), Seconds(1))
                                : Seconds(options.timing.budget_seconds);
  request.limits.budget = static_cast<double>(most_contenders(space)) * each;
  return request;
}

std::string name_of(const Contender& contender) {
  std::string names;
  for (const std::string& name : contender.names) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// "0.4%": half the width of the central half of its rounds, over their median.
std::string spread_of(const std::vector<double>& rounds) {
  const Summary summary = summarize(rounds);
  return fmt::format("{:.1f}%", 100 * summary.spread / summary.median);
}

std::vector<std::string> row_of(const Contender& contender, const ContestResult& result,
                                const std::vector<Objective>& objectives) {
  std::vector<std::string> row{name_of(contender), contender.config.empty() ? "-" : to_string(contender.config)};
  for (const Objective objective : objectives) {
    const auto times = contender.times.find(objective);
    const bool known = times != contender.times.end();
    row.push_back(known ? format_time(median(times->second.rounds)) : "-");
    row.push_back(known ? spread_of(times->second.rounds) : "-");
  }
  const auto first = contender.times.find(objectives.front());
  if (first == contender.times.end()) {
    row.insert(row.end(), {"-", "-", "-"});
    return row;
  }
  const ContestTimes& times = first->second;
  row.push_back(format_bytes(result.work.bytes / median(times.rounds) * 1e9) + "/s");
  row.push_back(times.share_of_yardstick ? fmt::format("{:.3f}", *times.share_of_yardstick) : "unavailable");
  row.push_back(times.against_winner ? fmt::format("{:.3f}", times.against_winner->ratio) : "-");
  return row;
}

std::string table_of(const ContestResult& result, const std::vector<Objective>& objectives) {
  std::vector<std::string> header{"name", "configuration"};
  for (const Objective objective : objectives) {
    header.push_back(to_string(objective));
    header.emplace_back("spread");
  }
  const std::string first = to_string(objectives.front());
  header.insert(header.end(), {"bytes/s " + first, "of copy " + first, "vs winner " + first});
  Table table(std::move(header));
  for (const std::vector<Contender>* list : {&result.contenders, &result.copies})
    for (const Contender& one : *list) table.add(row_of(one, result, objectives));
  return table.text();
}

std::string text_of(const Chosen& chosen, const Space& space) {
  if (chosen.choice == Choice::fallback) return "the fallback, as no cached configuration serves here";
  const std::string tuned_for = to_string(space, *chosen.tuned_for);
  return chosen.choice == Choice::exact ? "tuned for this very problem" : "tuned for the nearest problem, " + tuned_for;
}

void print_result(const ContestResult& result, const Space& space, const std::vector<Objective>& objectives) {
  std::string text = table_of(result, objectives);
  text += "winner: " + text_of(result.chosen, space);
  for (const Contender& one : result.contenders)
    if (one.outcome != Outcome::timed)
      text += fmt::format("\n{}: {}: {}", name_of(one), to_string(one.outcome), one.detail);
  for (const auto& [objective, copy] : result.yardstick)
    text += fmt::format("\nyardstick {}: {}", to_string(objective), name_of(result.copies[copy]));
  if (result.yardstick.empty()) text += "\nyardstick: unavailable: " + result.no_yardstick;
  print(text + "\n");
}

Json to_json(const ContestTimes& times) {
  const Summary summary = summarize(times.rounds);
  Json json{{"median_ns", summary.median}, {"spread_ns", summary.spread}, {"rounds_ns", times.rounds}};
  if (times.share_of_yardstick) json["share_of_yardstick"] = *times.share_of_yardstick;
  if (times.against_winner)
    json["vs_winner"] = {{"ratio", times.against_winner->ratio},
                         {"lower", times.against_winner->lower},
                         {"upper", times.against_winner->upper}};
  return json;
}

Json to_json(const Contender& contender) {
  Json json{{"names", contender.names},
            {"config", hiptune::to_json(contender.config)},
            {"outcome", to_string(contender.outcome)},
            {"detail", contender.detail}};
  for (const auto& [objective, times] : contender.times) json[to_string(objective)] = to_json(times);
  return json;
}

Json to_json(const ContestResult& result, const Space& space, const Problem& problem) {
  Json json{{"problem", to_string(space, problem)},
            {"choice", to_string(result.chosen.choice)},
            {"tuned_for", result.chosen.tuned_for ? to_string(space, *result.chosen.tuned_for) : ""},
            {"bytes", result.work.bytes},
            {"contenders", Json::array()},
            {"copies", Json::array()}};
  for (const Contender& one : result.contenders) json["contenders"].push_back(to_json(one));
  for (const Contender& one : result.copies) json["copies"].push_back(to_json(one));
  for (const auto& [objective, copy] : result.yardstick) json["yardstick"][to_string(objective)] = copy;
  if (!result.no_yardstick.empty()) json["no_yardstick"] = result.no_yardstick;
  return json;
}

int run(Context& context, const BenchOptions& options) {
  const Kernel& kernel = *context.kernel;
  const std::vector<Problem> problems = options.problem.problems(kernel.space);
  const KernelPath path = context.kernel_path();
  const Kernel copy = path.load("copy");
  if (kernel.name != copy.name) warn_of_shadowed(path, copy.name);
  Coordinator coordinator(options.variants.worker_settings(context.options));
  require_memory(kernel.space, problems, coordinator.target());
  Contest contest(coordinator, kernel, copy, cache_roots(context.options));
  std::size_t timed = 0;
  for (const Problem& problem : problems) {
    if (!context.json)
      print(fmt::format("{} {} on {} ({})", kernel.name, to_string(kernel.space, problem), coordinator.target().id,
                        coordinator.target().name));
    const ContestRequest request = request_for(options, problem, kernel.space);
    const ContestResult result = contest.run(request);
    context.json ? print_json(to_json(result, kernel.space, problem))
                 : print_result(result, kernel.space, request.objectives);
    timed += result.all_timed() ? 1 : 0;
  }
  if (context.json)
    print_json(
        {{"result", timed == problems.size() ? "timed" : "failed"}, {"problems", problems.size()}, {"timed", timed}});
  return timed == problems.size() ? kDone : kNothingUsable;
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<BenchOptions>();
  if (context.kernel) options->problem.add_to(command, context.kernel->space);
  options->variants.add_to(command);
  options->timing.add_to(command);
  command.add_option("--objective", options->objective, "times with cold caches, with warm ones, or both")
      ->type_name("MODE")
      ->check(CLI::IsMember({"cold", "warm", "both"}).description(""))
      ->capture_default_str()
      ->group("Timing");
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb bench_verb() {
  return {"bench", "Time the winner, the baselines and a copy side by side", Verb::Takes::kernel, configure, false};
}

}  // namespace hiptune::cli
