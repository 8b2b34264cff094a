#include <iostream>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "hiptune/error.hpp"

namespace hiptune::cli {
namespace {

// The program's own log goes to stderr: stdout belongs to results.
void set_up_logging() {
  auto logger = spdlog::stderr_color_mt("hiptune");
  logger->set_pattern("hiptune: %l: %v");
  spdlog::set_default_logger(std::move(logger));
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input:
      return kBadInput;
    case ErrorKind::unavailable:
      return kUnavailable;
    case ErrorKind::failed:
      return kNothingUsable;
  }
  return kInternalError;
}

void add_shared_options(CLI::App& command, Context& context) {
  const std::string group = "Shared";
  command.add_option("--device", context.options.device, "auto, host, host:wave64, ...")->group(group);
  command.add_option("--cache", context.options.cache, "cache folder (else $HIPTUNE_CACHE, else ~/.cache/hiptune)")
      ->group(group);
  command
      .add_option("--kernel-path", context.options.kernel_paths,
                  "a folder with kernels of your own, searched first; may be repeated")
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", context.json, "JSON Lines on stdout, the last line the result")->group(group);
}

const Verb* find_verb(const std::string& name) {
  for (const Verb& verb : verbs())
    if (verb.name == name) return &verb;
  return nullptr;
}

// The kernel decides which options there are, so it is loaded before the command line is parsed as a whole: its name
// is the word after the verb, and only --kernel-path matters to find it.
void load_kernel(const std::vector<std::string>& words, Context& context) {
  const Verb* verb = words.empty() ? nullptr : find_verb(words[0]);
  if (verb == nullptr || verb->takes != Verb::Takes::kernel || words.size() < 2 || words[1].starts_with("-")) return;
  Context scanned;
  CLI::App scan;
  scan.allow_extras();
  scan.set_help_flag();
  add_shared_options(scan, scanned);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  scan.parse(reversed);
  const KernelPath path(scanned.options.kernel_paths, context.options.environment_kernel_paths);
  context.kernel = path.load(words[1]);
}

struct Command {
  CLI::App app{"hiptune tunes HIP kernels: it rejects wrong variants, times the rest, and keeps the best."};
  std::string kernel_name;
  Action action;
};

void add_verb(const Verb& verb, Command& command, Context& context) {
  CLI::App* sub = command.app.add_subcommand(verb.name, verb.summary);
  if (verb.hidden) sub->group("");
  if (verb.takes == Verb::Takes::kernel)
    sub->add_option("KERNEL", command.kernel_name, "the kernel's name, right after the verb")->required();
  if (!verb.hidden) add_shared_options(*sub, context);
  Action action = verb.configure(*sub, context);
  sub->callback([&command, action] { command.action = action; });
}

std::string explain(const CLI::ParseError& error, const Context& context) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && context.kernel) {
    text += "; dimensions of " + context.kernel->name + " are";
    for (const Dimension& dimension : context.kernel->space.dimensions) text += " --" + dimension.name;
  }
  return text + " (see --help)";
}

void report(const std::string& message, const Context& context) {
  if (context.json) print_json({{"error", message}});
  std::cerr << "hiptune: error: " << message << std::endl;
}

int run(std::vector<std::string> words, Context& context) {
  Command command;
  command.app.require_subcommand(1);
  command.app.set_version_flag("--version", "hiptune " HIPTUNE_VERSION);
  try {
    load_kernel(words, context);
    for (const Verb& verb : verbs()) add_verb(verb, command, context);
    std::reverse(words.begin(), words.end());
    command.app.parse(std::move(words));
    if (!command.kernel_name.empty() && !context.kernel)
      throw bad_input("the kernel's name comes right after the verb: hiptune tune " + command.kernel_name + " ...");
    return command.action(context);
  } catch (const CLI::Success& success) {  // --help, --version
    return command.app.exit(success);
  } catch (const CLI::ParseError& error) {
    report(explain(error, context), context);
    return kBadInput;
  } catch (const Error& error) {
    report(error.what(), context);
    return exit_code(error.kind());
  }
}

}  // namespace
}  // namespace hiptune::cli

int main(int argc, char** argv) {
  using namespace hiptune;
  cli::set_up_logging();
  cli::Context context;
  context.options = Options::from_environment();
  try {
    return cli::run({argv + 1, argv + argc}, context);
  } catch (const std::exception& error) {
    std::cerr << "hiptune: internal error, please report it: " << error.what() << std::endl;
    return cli::kInternalError;
  }
}
