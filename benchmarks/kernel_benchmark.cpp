// Device times of a kernel's cached winner, of its baselines and of copies of the same bytes, in Google Benchmark's
// form: device time is its manual time, and every variant is checked against the oracle first. For comparisons of few
// per cent use `hiptune bench`, which interleaves; here one follows the other.
//
//   kernel_benchmark [--kernel NAME] [--rows 1024,4096 --cols 4096] [--dtype f32] [--device D] [--cache DIR]
//                    [--benchmark_...]
#include <benchmark/benchmark.h>

#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include "device/backends.hpp"
#include "dispatch/catalog.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"
#include "session/bench.hpp"
#include "session/contest.hpp"
#include "session/finalist.hpp"

namespace {

using namespace hiptune;
using I = std::int64_t;

// Devices and compilers of this process.
struct Machine {
  Options options;
  std::unique_ptr<Device> device, host;
  std::unique_ptr<Compiler> compiler, host_compiler;

  explicit Machine(const Options& given) : options(given) {
    const DeviceSettings settings{options.cxx_compiler, options.temporary_directory.string()};
    device = open_device(options.device, settings);
    compiler = open_compiler(device->target().backend, settings);
    host = open_device("host", settings);
    host_compiler = open_compiler("host", settings);
  }
  [[nodiscard]] std::unique_ptr<Bench> bench(const Kernel& kernel, const Problem& problem) const {
    constexpr std::uint64_t kSeed = 1;
    return std::make_unique<Bench>(kernel, problem, *device, *compiler, *host, *host_compiler, kSeed,
                                   GateDepth::tuned_shape);
  }
};

// One problem with the benches of its kernel and of the copy, set up when the first of its benchmarks runs.
class ProblemBench {
 public:
  ProblemBench(const Machine& machine, Kernel kernel, Problem problem)
      : machine_(machine), kernel_(std::move(kernel)), problem_(std::move(problem)) {}

  [[nodiscard]] std::string name() const { return kernel_.name + " " + to_string(kernel_.space, problem_); }
  [[nodiscard]] double bytes() const { return work_of(kernel_.space, problem_, facts()).bytes; }
  [[nodiscard]] const TargetFacts& facts() const { return machine_.device->target().facts; }

  // What takes part, by name; none: the device's own copy.
  [[nodiscard]] std::vector<std::pair<std::string, std::optional<Config>>> contenders() const {
    const Catalog catalog =
        load_catalog(cache_roots(machine_.options), machine_.device->target(), kernel_, problem_.dtype);
    std::vector<std::pair<std::string, std::optional<Config>>> all{{kCopy, std::nullopt}};
    all.emplace_back("winner", choose_for(kernel_.space, catalog.entries, problem_, facts()).config);
    for (const Baseline& baseline : kernel_.space.baselines) {
      const Config config = make_config(kernel_.space, baseline.config, baseline.name);
      if (!why_invalid(kernel_.space, problem_, facts(), config)) all.emplace_back("baseline " + baseline.name, config);
    }
    return all;
  }

  // Compiled, checked and warmed up once, however often Google Benchmark runs it.
  [[nodiscard]] const Finalist& enter(const std::optional<Config>& config, Objective objective) {
    set_up();
    std::unique_ptr<Finalist>& entered = finalists_[{config ? to_string(*config) : kCopy, objective}];
    if (!entered)
      entered = config ? own_->make_finalist(*config, objective, *own_timer_)
                       : copies_->make_copying_finalist(objective, *copy_timer_);
    return *entered;
  }
  // Nanoseconds of the device's copy: of a few samples, once.
  [[nodiscard]] double copy_time(Objective objective) {
    const auto known = copy_times_.find(objective);
    if (known != copy_times_.end()) return known->second;
    constexpr int kSamples = 9;
    const Finalist& copy = enter(std::nullopt, objective);
    std::vector<double> samples;
    for (int i = 0; i < kSamples; ++i) samples.push_back(copy.sample());
    return copy_times_[objective] = median(samples);
  }
  void release() {
    finalists_.clear();
    own_timer_.reset(), copy_timer_.reset();
    own_.reset(), copies_.reset();
  }

  static constexpr const char* kCopy = "device copy";

 private:
  void set_up() {
    if (own_) return;
    const Kernel copy =
        KernelPath(machine_.options.kernel_paths, machine_.options.environment_kernel_paths).load("copy");
    own_ = machine_.bench(kernel_, problem_);
    copies_ = machine_.bench(copy, copy_problem(copy.space, bytes()));
    own_timer_ = own_->timer({});
    copy_timer_ = copies_->timer({});
  }

  const Machine& machine_;
  Kernel kernel_;
  Problem problem_;
  std::unique_ptr<Bench> own_, copies_;
  std::optional<Timer> own_timer_, copy_timer_;
  std::map<Objective, double> copy_times_;
  std::map<std::pair<std::string, Objective>, std::unique_ptr<Finalist>> finalists_;  // last: they use the benches
};

// A launch is an iteration; a batch of them is timed at once.
void run(benchmark::State& state, ProblemBench& problem, const std::optional<Config>& config, Objective objective) {
  const Finalist* finalist = nullptr;
  try {
    finalist = &problem.enter(config, objective);
  } catch (const std::exception& error) {  // it is wrong, does not launch, or does not fit the memory
    return state.SkipWithError(error.what());
  }
  std::vector<double> samples;
  while (state.KeepRunningBatch(finalist->batch.launches)) {
    samples.push_back(finalist->sample());
    state.SetIterationTime(samples.back() * finalist->batch.launches / 1e9);
  }
  state.SetBytesProcessed(static_cast<I>(static_cast<double>(state.iterations()) * problem.bytes()));
  state.counters["of_copy"] = problem.copy_time(objective) / median(samples);
}

void register_problem(ProblemBench& problem, std::shared_ptr<ProblemBench*> current) {
  for (const auto& [name, config] : problem.contenders())
    for (const Objective objective : {Objective::cold, Objective::warm}) {
      const auto action = [&problem, config = config, objective, current](benchmark::State& state) {
        if (*current != &problem && *current != nullptr) (*current)->release();  // one at a time in the memory
        *current = &problem;
        run(state, problem, config, objective);
      };
      const std::string title = fmt::format("{}/{}/{}", problem.name(), name, to_string(objective));
      benchmark::RegisterBenchmark(title.c_str(), action)->UseManualTime()->Unit(benchmark::kMicrosecond);
    }
}

struct Flags {
  std::string kernel = "rmsnorm", device = "auto", cache;
  std::vector<std::string> dtypes;
  std::map<std::string, std::vector<I>> dimensions;
};

// The kernel's name decides which dimensions there are.
Flags parse(int argc, char** argv, const Options& options) {
  Flags flags;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string(argv[i]) == "--kernel") flags.kernel = argv[i + 1];
  const Space space = KernelPath(options.kernel_paths, options.environment_kernel_paths).load(flags.kernel).space;
  CLI::App app(
      "Device times of a kernel's cached winner, its baselines and a copy; see also --benchmark_filter and the "
      "other options of Google Benchmark");
  app.add_option("--kernel", flags.kernel, "the kernel")->capture_default_str();
  app.add_option("--device", flags.device, "as hiptune's")->capture_default_str();
  app.add_option("--cache", flags.cache, "as hiptune's");
  app.add_option("--dtype", flags.dtypes, "a list (default: the first of the kernel)")->delimiter(',');
  for (const Dimension& dimension : space.dimensions)
    app.add_option("--" + dimension.name, flags.dimensions[dimension.name], "a list")->delimiter(',');
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return flags;
}

// Every combination, in the order given; for two dimensions of which nothing was given, a few.
std::vector<std::vector<I>> shapes_of(const Flags& flags, const Space& space) {
  std::vector<std::vector<I>> shapes{{}};
  bool any = false;
  for (const Dimension& dimension : space.dimensions) any = any || !flags.dimensions.at(dimension.name).empty();
  if (!any && space.dimensions.size() == 2) return {{8, 4096}, {1024, 4096}, {32768, 4096}, {1024, 131072}};
  for (const Dimension& dimension : space.dimensions) {
    const std::vector<I>& values = flags.dimensions.at(dimension.name);
    if (values.empty()) throw bad_input("--" + dimension.name + " is missing");
    std::vector<std::vector<I>> grown;
    for (const std::vector<I>& shape : shapes)
      for (const I value : values) {
        grown.push_back(shape);
        grown.back().push_back(value);
      }
    shapes = std::move(grown);
  }
  return shapes;
}

std::vector<Dtype> dtypes_of(const Flags& flags, const Space& space) {
  std::vector<Dtype> dtypes;
  for (const std::string& name : flags.dtypes) {
    const std::optional<Dtype> dtype = parse_dtype(name);
    if (!dtype) throw bad_input("--dtype " + name + ": there is no such type");
    dtypes.push_back(*dtype);
  }
  return dtypes.empty() ? std::vector<Dtype>{space.dtypes.front()} : dtypes;
}

void run_all(int argc, char** argv) {
  Options options = Options::from_environment();
  const Flags flags = parse(argc, argv, options);
  options.device = flags.device;
  if (!flags.cache.empty()) options.cache = flags.cache;
  const Machine machine(options);
  const Kernel kernel = KernelPath(options.kernel_paths, options.environment_kernel_paths).load(flags.kernel);
  std::vector<std::unique_ptr<ProblemBench>> problems;
  const auto current = std::make_shared<ProblemBench*>(nullptr);
  for (const Dtype dtype : dtypes_of(flags, kernel.space))
    for (const std::vector<I>& shape : shapes_of(flags, kernel.space)) {
      problems.push_back(std::make_unique<ProblemBench>(machine, kernel, make_problem(kernel.space, shape, dtype, {})));
      register_problem(*problems.back(), current);
    }
  benchmark::AddCustomContext("device", machine.device->target().id + ", " + machine.device->target().name);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  try {
    run_all(argc, argv);
    return 0;
  } catch (const Error& error) {
    std::cerr << "kernel_benchmark: error: " << error.what() << "\n";
    return 1;
  }
}
