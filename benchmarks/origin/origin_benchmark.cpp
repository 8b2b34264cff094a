// What the origin's kernels, compiled by hand, and the same kernels as variants of hiptune's rmsnorm take, in one run,
// over the same buffers and by the same timer. usage: origin_benchmark [ROWS] [COLS] [--json]
#include <cstdio>

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "contender.hpp"
#include "device/backends.hpp"
#include "gate/gate.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"

namespace {

using namespace hiptune;
using namespace hiptune::origin;

constexpr std::uint64_t kSeed = 1;
constexpr double kMemoryShare = 0.5;

struct Settings {
  std::int64_t rows = 1024;
  std::int64_t cols = 4096;
  int rounds = 5;
  std::string device = "auto";
  std::vector<std::filesystem::path> kernel_path;
  bool json = false;
};

struct Result {
  const Contender* contender;
  double in_limits;  // its largest error
  Samples samples;   // ns
};

std::filesystem::path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

// Kernels may lie beside the program, too.
std::vector<std::filesystem::path> kernel_folders(const Settings& settings) {
  std::vector<std::filesystem::path> folders = settings.kernel_path;
  if (std::filesystem::exists(program_folder() / "kernel_templates")) folders.push_back(program_folder());
  return folders;
}

Rotation make_rotation(const Arena& arena) {
  const Target& target = arena.device.target();
  const auto memory = static_cast<std::size_t>(kMemoryShare * static_cast<double>(target.memory_bytes));
  const RotationPlan plan = plan_rotation(total_bytes(arena.input.layouts), target.last_level_cache_bytes, memory);
  return {arena.device, arena.input.layouts, plan, false,
          [&arena](const BufferSet& set, std::size_t) { upload(arena.device, set, arena.input.images); }};
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// In rounds, so that a drift of the clocks meets all contenders.
std::vector<Result> measure(const Arena& arena, const std::vector<Contender>& contenders, int rounds) {
  std::vector<Result> results;
  for (const Contender& contender : contenders) results.push_back({&contender, check(arena, contender), {}});
  Rotation rotation = make_rotation(arena);
  TimingLimits limits;
  limits.stop.budget = std::chrono::milliseconds(200);
  Timer timer(arena.device, rotation, limits, steady_clock());
  for (int round = 0; round < rounds; ++round)
    for (Result& result : results) {
      const LaunchOver launch = [&](std::size_t set, Stream stream) {
        result.contender->launch(rotation.set(set), stream);
      };
      append(result.samples.cold, timer.cold(launch));
      append(result.samples.warm, timer.warm(launch));
    }
  for (const Result& result : results) check(arena, *result.contender);
  return results;
}

const Result& rival_of(const Result& result, const std::vector<Result>& results) {
  return *std::ranges::find_if(results,
                               [&](const Result& other) { return other.contender->name == result.contender->rival; });
}

constexpr std::pair<const char*, std::vector<double> Samples::*> kModes[] = {{"cold", &Samples::cold},
                                                                             {"warm", &Samples::warm}};

void print_json(const Arena& arena, const std::string& compiler, const std::vector<Result>& results) {
  for (const Result& result : results)
    for (const auto& [mode, samples] : kModes) {
      const Summary own = summarize(result.samples.*samples);
      const Summary rival = summarize(rival_of(result, results).samples.*samples);
      const nlohmann::ordered_json line = {{"device", arena.device.target().name},
                                           {"driver", arena.device.target().driver},
                                           {"compiler", compiler},
                                           {"rows", arena.problem.dimensions[0]},
                                           {"cols", arena.problem.dimensions[1]},
                                           {"contender", result.contender->name},
                                           {"mode", mode},
                                           {"median_us", own.median / 1e3},
                                           {"spread_us", own.spread / 1e3},
                                           {"samples", own.samples},
                                           {"rival", result.contender->rival},
                                           {"ratio", own.median / rival.median},
                                           {"largest_error_in_limits", result.in_limits}};
      fmt::print("{}\n", line.dump());
    }
}

void print_table(const Arena& arena, const std::string& compiler, const std::vector<Result>& results) {
  const Target& target = arena.device.target();
  fmt::print("rmsnorm {} x {} f32 on {} ({}, {}, {})\n", arena.problem.dimensions[0], arena.problem.dimensions[1],
             target.name, target.architecture, target.driver, compiler);
  fmt::print("median us, +- half the width of the central 50 %; ratio: to the kernel compiled by hand\n\n");
  fmt::print("{:<22}{:>20}{:>8}{:>20}{:>8}  {}\n", "", "cold", "ratio", "warm", "ratio", "error / limit");
  for (const Result& result : results) {
    std::string text = fmt::format("{:<22}", result.contender->name);
    for (const auto& [mode, samples] : kModes) {
      const Summary own = summarize(result.samples.*samples);
      const Summary rival = summarize(rival_of(result, results).samples.*samples);
      text += fmt::format("{:>20}{:>8.3f}", fmt::format("{:.2f} +- {:.2f}", own.median / 1e3, own.spread / 1e3),
                          own.median / rival.median);
    }
    fmt::print("{}  {:.3f}  {}\n", text, result.in_limits, result.contender->resources);
  }
}

void run(const Settings& settings) {
  const auto device = open_device(settings.device, {});
  const auto compiler = open_compiler(device->target().backend, {});
  const auto host = open_device("host", {});
  const auto host_compiler = open_compiler("host", {});
  const Kernel kernel = KernelPath(kernel_folders(settings), {}).load("rmsnorm");
  const Problem problem = make_problem(kernel.space, {settings.rows, settings.cols}, Dtype::f32, {});
  const Oracle oracle(kernel, problem, *host, *host_compiler);
  const GateCase input = tuned_case(kernel, problem, device->target().facts, oracle, kSeed, 0);
  const Arena arena{kernel, problem, *device, input};
  std::vector<Contender> contenders = origin_contenders(arena, program_folder());
  for (Contender& contender : hiptune_contenders(arena, *compiler)) contenders.push_back(std::move(contender));
  const std::vector<Result> results = measure(arena, contenders, settings.rounds);
  settings.json ? print_json(arena, compiler->version(), results) : print_table(arena, compiler->version(), results);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("the origin's kernels compiled by hand, beside hiptune's");
  app.add_option("rows", settings.rows)->capture_default_str();
  app.add_option("cols", settings.cols)->capture_default_str();
  app.add_option("--rounds", settings.rounds, "times that all contenders are timed in turn")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--device", settings.device)->capture_default_str();
  app.add_option("--kernel-path", settings.kernel_path, "folders with the kernel rmsnorm");
  app.add_flag("--json", settings.json, "one line of JSON per contender and mode instead of a table");
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
