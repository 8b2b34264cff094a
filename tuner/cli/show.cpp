#include <optional>

#include <spdlog/fmt/fmt.h>

#include "cache/fingerprint.hpp"
#include "cache/freshness.hpp"
#include "cache/retune.hpp"
#include "cache/store.hpp"
#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "device/backends.hpp"
#include "problem/log.hpp"

namespace hiptune::cli {
namespace {

std::vector<std::int64_t> dimension_values(const Record& record) {
  std::vector<std::int64_t> values;
  for (const auto& dimension : record.dimensions) values.push_back(dimension.second);
  return values;
}

std::string speed_ups(const Record& record) {
  const double time = summary_for(record.timing, record.objective).median_ns;
  std::string text;
  for (const RecordedBaseline& baseline : record.baselines)
    if (baseline.timing)
      text += fmt::format("{}{:.2f}x {}", text.empty() ? "" : ", ",
                          summary_for(*baseline.timing, record.objective).median_ns / time, baseline.name);
  return text;
}

std::string share_of_copy(const Record& record) {
  if (!record.yardstick) return "unavailable";
  return fmt::format("{:.2f} {}",
                     summary_for(record.yardstick->timing, record.objective).median_ns /
                         summary_for(record.timing, record.objective).median_ns,
                     to_string(record.objective));
}

std::vector<std::string> row_of(const Record& record, Freshness freshness) {
  return {problem_key(record),
          to_string(record.config),
          format_time(record.timing.cold.median_ns),
          format_time(record.timing.warm.median_ns),
          share_of_copy(record),
          speed_ups(record),
          fmt::format("{}", record.ties.size()),
          record.gate.precheck.empty() ? "-" : first_line(record.gate.precheck, 24),
          record.provenance.date.substr(0, 10),
          to_string(freshness)};
}

// Entries of one file that the given dimensions select.
std::vector<Record> selected(const Loaded& loaded, const Space& space, const ProblemOptions& options) {
  std::vector<Record> records;
  for (const Record& record : loaded.records)
    if (options.matches(space, dimension_values(record), record.dtype, record.traits)) records.push_back(record);
  return records;
}

void print_records(const CacheKey& key, const std::filesystem::path& file, const std::vector<Record>& records,
                   const Kernel& kernel, bool json) {
  if (json) {
    for (const Record& record : records)
      print_json({{"device", key.device},
                  {"file", file.string()},
                  {"entry", nlohmann::ordered_json::parse(to_json_line(record))}});
    return;
  }
  if (records.empty()) return;
  print(key.device + " (" + file.string() + ")");
  Table table(
      {"problem", "configuration", "cold", "warm", "of copy", "faster than", "ties", "precheck", "tuned", "state"});
  for (const Record& record : records) table.add(row_of(record, check_record(key, record, kernel).freshness));
  const std::string text = table.text();
  print(text.substr(0, text.size() - 1));  // print ends the line
}

struct Found {
  std::size_t entries = 0;
  std::size_t others = 0;   // of other problems
  std::size_t damaged = 0;  // places
};

// The device's folder in a cache. None: no device was asked for.
std::optional<std::string> wanted_device(const Context& context) {
  if (context.options.device == "auto") return std::nullopt;
  return cache_key(target_of(surveyor_of(context.options), context.options.device), context.kernel->name).device;
}

Found show_key(const Store& store, const CacheKey& key, const Context& context, const ProblemOptions& options) {
  const Kernel& kernel = *context.kernel;
  const Fingerprints sources = fingerprints_of(kernel);
  const Loaded loaded = store.load(key, &sources);
  for (const Damage& damage : loaded.damage) log().warn("{}", to_string(damage));
  const std::vector<Record> records = selected(loaded, kernel.space, options);
  print_records(key, store.file_of(key), records, kernel, context.json);
  return {records.size(), loaded.records.size() - records.size(), loaded.damage.size()};
}

std::string nothing_text(const Found& found, const Context& context, const ProblemOptions& options) {
  const Kernel& kernel = *context.kernel;
  const std::string cache = context.options.cache.string();
  std::string text =
      fmt::format("no {}entry for {}{} in {}; ", found.damaged > 0 ? "sound " : "", kernel.name,
                  found.others > 0 ? fmt::format(" with these dimensions, {} with others,", found.others) : "", cache);
  if (found.damaged > 0)
    text += fmt::format("{} damaged, and `hiptune check {}{}` says what can be done; ",
                        found.damaged == 1 ? "1 is" : fmt::format("{} are", found.damaged), shell_word(cache),
                        kernel_path_words(kernel));
  const std::string device = context.options.device == "auto" ? "" : " --device " + context.options.device;
  return text + fmt::format("`hiptune tune {} {}{} --cache {}{}` makes {}", kernel.name, options.words(kernel.space),
                            device, shell_word(cache), kernel_path_words(kernel),
                            found.damaged > 0 ? "one anew" : "one");
}

int run(Context& context, const ProblemOptions& options) {
  options.require_well_formed(context.kernel->space);
  const std::optional<std::string> device = wanted_device(context);
  Found all;
  for (const auto& root : {require_cache(context.options), shared_data_folder() / "cache"}) {
    const Store store(root);
    for (const CacheKey& key : store.keys()) {
      if (key.kernel != context.kernel->name || key.device != device.value_or(key.device)) continue;
      const Found found = show_key(store, key, context, options);
      all = {all.entries + found.entries, all.others + found.others, all.damaged + found.damaged};
    }
  }
  if (context.json) print_json({{"result", all.entries > 0 ? "found" : "none"}, {"entries", all.entries}});
  if (all.entries == 0 && !context.json) print(nothing_text(all, context, options));
  return all.entries > 0 ? kDone : kNothingUsable;
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<ProblemOptions>();
  if (context.kernel) options->add_to(command, context.kernel->space);
  command.get_option("--device")->description("only this device's entries (default: those of all)");
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb show_verb() { return {"show", "What the cache holds for a kernel", Verb::Takes::kernel, configure, false}; }

}  // namespace hiptune::cli
