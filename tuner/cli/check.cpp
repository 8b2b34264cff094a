#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "cache/freshness.hpp"
#include "cache/retune.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "hiptune/error.hpp"

namespace hiptune::cli {
namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  const CLI::Option* folder = nullptr;
  const CLI::Option* cache = nullptr;
  bool prune = false;
};

void print_verdict(const Verdict& verdict, const std::string& word, bool json) {
  if (json)
    return print_json({{"device", verdict.key.device},
                       {"kernel", verdict.key.kernel},
                       {"problem", verdict.problem},
                       {"freshness", word},
                       {"reasons", verdict.reasons},
                       {"command", verdict.command}});
  print(fmt::format("{:<8} {}/{}{}{}", word, verdict.key.device, verdict.key.kernel, verdict.problem.empty() ? "" : " ",
                    verdict.problem));
  for (const std::string& reason : verdict.reasons) print("         " + reason);
  if (!verdict.command.empty()) print("         run `" + verdict.command + "`");
}

bool is_given(const CLI::Option* option) { return option->count() > 0; }

std::filesystem::path root_of(const Context& context, const CheckOptions& options) {
  if (!is_given(options.folder)) return require_cache(context.options);
  const auto name = options.folder->as<std::string>();
  if (is_given(options.cache))
    throw bad_input("check " + name + " --cache " + context.options.cache.string() +
                    ": both name the cache's folder; drop --cache, or drop DIR");
  if (name.empty()) throw bad_input("DIR is empty; give the cache's folder, or leave DIR out for --cache");
  return name;
}

// Whether `folder` is the part of a cache that holds one device's entries.
bool is_device_folder(const fs::path& folder) {
  const auto keys = Store(folder.parent_path()).keys();
  const auto name = folder.filename().string();
  const auto of_segments = [](const CacheKey& key) { return key.device.ends_with(".segments"); };
  return std::ranges::count(keys, name, &CacheKey::device) > 0 &&
         std::ranges::all_of(Store(folder).keys(), of_segments);
}

[[noreturn]] void refuse_part(const fs::path& given, const std::string& what, const fs::path& cache) {
  throw bad_input(given.string() + ": is " + what + "; give the cache's folder: hiptune check " +
                  shell_word(cache.string()));
}

void require_cache_folder(const fs::path& root) {
  const fs::path whole = fs::absolute(root / ".").lexically_normal().parent_path();  // "DIR/" and "." have no name
  if (fs::is_directory(root)) {
    if (is_device_folder(whole)) refuse_part(root, "one device's folder of a cache", whole.parent_path());
    return;
  }
  if (!fs::exists(root))
    throw bad_input(root.string() + ": no such folder; give the cache's folder, or tune something first");
  const fs::path file = fs::absolute(root).lexically_normal();
  if (is_device_folder(file.parent_path())) refuse_part(root, "a file of a cache", file.parent_path().parent_path());
  throw bad_input(root.string() + ": is a file; give the cache's folder");
}

// How many verdicts there are of each freshness.
struct Counts {
  int of[4] = {0, 0, 0, 0};
  [[nodiscard]] int at(Freshness freshness) const { return of[static_cast<int>(freshness)]; }
  [[nodiscard]] Freshness worst() const {
    for (const Freshness freshness : {Freshness::damaged, Freshness::stale, Freshness::unknown})
      if (at(freshness) > 0) return freshness;
    return Freshness::fresh;
  }
};

void print_result(const fs::path& root, const Counts& counts, const std::vector<Verdict>& pruned,
                  const Context& context, bool prune) {
  const int fresh = counts.at(Freshness::fresh), stale = counts.at(Freshness::stale),
            unknown = counts.at(Freshness::unknown), damaged = counts.at(Freshness::damaged);
  if (context.json) {
    nlohmann::ordered_json result{{"result", to_string(counts.worst())},
                                  {"fresh", fresh},
                                  {"stale", stale},
                                  {"unknown", unknown},
                                  {"damaged", damaged}};
    if (prune) result["pruned"] = pruned.size();
    return print_json(result);
  }
  print(fmt::format("{}: {} fresh, {} stale, {} damaged{}{}", root.string(), fresh, stale, damaged,
                    unknown > 0 ? fmt::format(", {} of unknown kernels", unknown) : "",
                    prune ? fmt::format("; {} pruned", pruned.size()) : ""));
}

int exit_code(Freshness worst) {
  if (worst == Freshness::damaged) return kDamaged;
  return worst == Freshness::fresh ? kDone : kStale;
}

int run(const Context& context, const fs::path& root, bool prune) {
  require_cache_folder(root);
  Store store(root);
  const std::vector<Verdict> pruned = prune ? prune_store(store, context.kernel_path()) : std::vector<Verdict>();
  for (const Verdict& verdict : pruned) print_verdict(verdict, "pruned", context.json);
  const std::vector<Verdict> verdicts = check_store(store, context.kernel_path());
  // A mistyped folder must not keep a CI job green for ever.
  if (verdicts.empty() && pruned.empty())
    throw bad_input(root.string() + ": no cache entry; give the folder that holds the devices' folders, or tune first");
  Counts counts;
  for (const Verdict& verdict : verdicts) {
    ++counts.of[static_cast<int>(verdict.freshness)];
    print_verdict(verdict, to_string(verdict.freshness), context.json);
  }
  print_result(root, counts, pruned, context, prune);
  return exit_code(counts.worst());
}

Action configure(CLI::App& command, const Context&) {
  auto options = std::make_shared<CheckOptions>();
  options->folder = command.add_option("DIR", "the cache's folder, instead of --cache");
  options->cache = command.get_option("--cache");
  command.add_flag("--prune", options->prune,
                   "first remove the stale entries of problems that their kernel no longer has, or calls otherwise; "
                   "never what is damaged, or of a kernel that is not found");
  command.remove_option(command.get_option("--device"));
  command.footer("Checks the entries of every device and needs none, so there is no --device.");
  return [options](Context& context) { return run(context, root_of(context, *options), options->prune); };
}

}  // namespace

Verb check_verb() {
  return {"check", "Is a cache fresh? For CI: exit code 0 fresh, 4 stale, 5 damaged", Verb::Takes::nothing, configure,
          false};
}

}  // namespace hiptune::cli
