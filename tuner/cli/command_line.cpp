#include "cli/command_line.hpp"

#include <algorithm>

#include "hiptune/error.hpp"
#include "problem/log.hpp"
#include "problem/nearest.hpp"

namespace hiptune::cli {
namespace {

bool is_option(const std::string& word) { return word.starts_with("-"); }

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs())
    if (!verb.hidden) names.push_back(verb.name);
  return names;
}

const Verb& require_verb(const std::string& word) {
  const auto found = std::ranges::find(verbs(), word, &Verb::name);
  if (found != verbs().end()) return *found;
  const std::vector<std::string> names = verb_names();
  throw bad_input("there is no verb \"" + excerpt(word) + "\"" + did_you_mean(word, names) + "; the verbs are " +
                  join(names));
}

// What --kernel-path says, before the other options are known.
KernelPath scan_kernel_path(const std::vector<std::string>& words, const Context& context) {
  Context scanned;
  CLI::App scan;
  scan.allow_extras();
  scan.set_help_flag();
  add_shared_options(scan, scanned);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  scan.parse(reversed);
  return {scanned.options.kernel_paths, context.options.environment_kernel_paths};
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// A word that is no option of the command, or one too many.
std::string explain_extra(const std::vector<std::string>& words, const CLI::App& command) {
  const std::vector<std::string> known = option_names(command);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::ranges::count(known, name) > 0) continue;
    return "there is no option " + excerpt(name) + did_you_mean(name, known) + "; the options are " + join(known);
  }
  return "";
}

}  // namespace

void add_shared_options(CLI::App& command, Context& context) {
  const std::string group = "Shared";
  command
      .add_option("--device", context.options.device,
                  "auto, amd:0, nvidia:0, host, host:wave64, ... (see `hiptune devices`)")
      ->group(group)
      ->type_name("ID");
  command.add_option("--cache", context.options.cache, "cache folder (else $HIPTUNE_CACHE, else ~/.cache/hiptune)")
      ->group(group)
      ->type_name("DIR");
  command
      .add_option("--kernel-path", context.options.kernel_paths,
                  "a folder with kernels of your own, searched first; may be repeated")
      ->group(group)
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", context.json, "JSON Lines on stdout, the last line the result")->group(group);
}

void warn_of_shadowed(const KernelPath& path, const std::string& kernel) {
  const std::vector<std::filesystem::path> files = path.files(kernel);
  for (std::size_t i = 1; i < files.size(); ++i)
    log().warn("the kernel {} is taken from {}, which shadows {}; rename one of them to use both", kernel,
               files[0].string(), files[i].string());
}

void read_verb_and_kernel(const std::vector<std::string>& words, Context& context) {
  if (is_option(words[0])) {
    if (asks_for_help({words[0]}) || words[0] == "--version") return;
    throw bad_input("the verb comes first: hiptune VERB " + excerpt(words[0]) + " ...; the verbs are " +
                    join(verb_names()));
  }
  const Verb& verb = require_verb(words[0]);
  if (verb.takes != Verb::Takes::kernel) return;
  const bool has_kernel = words.size() > 1 && !is_option(words[1]);
  if (!has_kernel && asks_for_help(words)) return;
  const KernelPath path = scan_kernel_path(words, context);
  if (!has_kernel)
    throw bad_input("the kernel's name comes right after the verb: hiptune " + verb.name +
                    " KERNEL ...; the kernels are " + join(path.names()));
  context.kernel = path.load(words[1]);
  warn_of_shadowed(path, words[1]);
}

std::string explain(const CLI::ParseError& error, const std::vector<std::string>& words, const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string extra = explain_extra(words, command);
    if (!extra.empty()) text = extra;
  }
  const std::string once = "At Most 1 required but received";
  if (const std::size_t at = text.find(once); at != std::string::npos)
    text = text.substr(0, at) +
           "given more than once; keep one of them (a dimension, --dtype and --arch take a list: 1,8,64)";
  return text + " (see hiptune " + (commands.empty() ? "" : command.get_name() + " ") + "--help)";
}

}  // namespace hiptune::cli
