#include <spdlog/fmt/fmt.h>

#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DispatchOptions {
  ProblemOptions problem;
  VariantOptions variants;
  bool explain = false;
};

void print_reply(const std::string& problem, const Json& reply, bool explain) {
  const bool right = reply.at("failure").is_null();
  const auto median = reply.at("median_ns").get<double>();
  print(fmt::format(
      "{}: {} ({}), warm {}, {:.3g} GB/s, {}", problem, reply.at("config").get<std::string>(),
      reply.at("choice").get<std::string>(), format_time(median), reply.at("bytes").get<double>() / median,
      right ? "right: " + format_errors(errors_from_json(reply)) : "WRONG: " + reply.at("failure").get<std::string>()));
  // Whoever gets no exact entry wants to know why; it may be a stale one, or a damaged cache.
  if (!explain && reply.at("choice") == "exact") return;
  const auto tuned_for = reply.at("tuned_for").get<std::string>();
  print(fmt::format("  {}: {}{}", reply.at("choice").get<std::string>(), reply.at("reason").get<std::string>(),
                    tuned_for.empty() ? "" : "; the entry was tuned for " + tuned_for));
}

int run(Context& context, const DispatchOptions& options) {
  const Space& space = context.kernel->space;
  const std::vector<Problem> problems = options.problem.problems(space);
  const WorkerSettings settings = options.variants.worker_settings(context.options);
  Coordinator coordinator(settings);
  require_memory(space, problems, coordinator.target());
  std::size_t right = 0;
  for (const Problem& problem : problems) {
    Json reply = coordinator.request({{"op", "dispatch"},
                                      {"kernel", space.kernel},
                                      {"problem", to_json(problem)},
                                      {"seed", options.variants.seed},
                                      {"cache", context.options.cache.string()}},
                                     settings.deadline * 10);
    reply["problem"] = to_string(space, problem);
    context.json ? print_json(reply) : print_reply(to_string(space, problem), reply, options.explain);
    if (reply.at("failure").is_null()) ++right;
  }
  if (context.json)
    print_json(
        {{"result", right == problems.size() ? "right" : "wrong"}, {"calls", problems.size()}, {"right", right}});
  return right == problems.size() ? kDone : kNothingUsable;
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<DispatchOptions>();
  if (context.kernel) options->problem.add_to(command, context.kernel->space);
  options->variants.add_to(command);
  command.add_flag("--explain", options->explain, "say why also where the entry is exact")->group("Dispatch");
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb dispatch_verb() {
  return {"dispatch", "Call a kernel as an application would; checked and timed", Verb::Takes::kernel, configure,
          false};
}

}  // namespace hiptune::cli
