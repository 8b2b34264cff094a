#include <spdlog/fmt/fmt.h>

#include "cache/freshness.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "hiptune/error.hpp"

namespace hiptune::cli {
namespace {

void print_verdict(const Verdict& verdict, bool json) {
  if (json)
    return print_json({{"device", verdict.key.device},
                       {"kernel", verdict.key.kernel},
                       {"problem", verdict.problem},
                       {"freshness", to_string(verdict.freshness)},
                       {"reasons", verdict.reasons}});
  print(fmt::format("{:<8} {}/{} {}", to_string(verdict.freshness), verdict.key.device, verdict.key.kernel,
                    verdict.problem));
  for (const std::string& reason : verdict.reasons) print("         " + reason);
}

std::string kernel_paths_of(const Context& context) {
  std::string text;
  for (const auto& path : context.options.kernel_paths) text += " --kernel-path " + path.string();
  return text;
}

bool is_given(const CLI::Option* option) { return option->count() > 0; }

std::filesystem::path root_of(const Context& context, const CLI::Option* folder, const CLI::Option* cache) {
  if (!is_given(folder)) return require_cache(context.options);
  const auto name = folder->as<std::string>();
  if (is_given(cache))
    throw bad_input("check " + name + " --cache " + context.options.cache.string() +
                    ": both name the cache's folder; drop --cache, or drop DIR");
  if (name.empty()) throw bad_input("DIR is empty; give the cache's folder, or leave DIR out for --cache");
  return name;
}

int run(const Context& context, const std::filesystem::path& root) {
  if (!std::filesystem::is_directory(root))
    throw bad_input(root.string() + ": no such folder; give the cache's folder, or tune something first");
  const std::vector<Verdict> verdicts = check_store(Store(root), context.kernel_path());
  // A mistyped folder must not keep a CI job green for ever.
  if (verdicts.empty())
    throw bad_input(root.string() + ": no cache entry; give the folder that holds the devices' folders, or tune first");
  int counts[3] = {0, 0, 0};
  for (const Verdict& verdict : verdicts) {
    ++counts[static_cast<int>(verdict.freshness)];
    print_verdict(verdict, context.json);
  }
  const int fresh = counts[static_cast<int>(Freshness::fresh)], stale = counts[static_cast<int>(Freshness::stale)],
            damaged = counts[static_cast<int>(Freshness::damaged)];
  if (context.json)
    print_json({{"result", damaged > 0 ? "damaged"
                           : stale > 0 ? "stale"
                                       : "fresh"},
                {"fresh", fresh},
                {"stale", stale},
                {"damaged", damaged}});
  else
    print(fmt::format("{}: {} fresh, {} stale, {} damaged", root.string(), fresh, stale, damaged));
  if (stale > 0 && !context.json) print("to tune them again, add --cache " + root.string() + kernel_paths_of(context));
  return damaged > 0 ? kDamaged : stale > 0 ? kStale : kDone;
}

Action configure(CLI::App& command, const Context&) {
  const CLI::Option* folder = command.add_option("DIR", "the cache's folder, instead of --cache");
  command.remove_option(command.get_option("--device"));
  command.footer("Checks the entries of every device and needs none, so there is no --device.");
  const CLI::Option* cache = command.get_option("--cache");
  return [folder, cache](Context& context) { return run(context, root_of(context, folder, cache)); };
}

}  // namespace

Verb check_verb() {
  return {"check", "Is a cache fresh? For CI: exit code 0 fresh, 4 stale, 5 damaged", Verb::Takes::nothing, configure,
          false};
}

}  // namespace hiptune::cli
