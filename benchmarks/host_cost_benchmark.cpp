// What hiptune costs on the host: calls beyond the launch itself, binding, reading a cache, and the arithmetic of
// spaces. Compare within one run only. Calls are of a copy of one element with the fallback, once by Device::launch
// with the same function, geometry and arguments, and once through each of the dispatcher's interfaces.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <array>
#include <filesystem>

#include "cache/fingerprint.hpp"
#include "cache/store.hpp"
#include "device/backends.hpp"
#include "dispatch/catalog.hpp"
#include "hiptune/dispatcher.hpp"
#include "hiptune/hiptune.h"
#include "problem/closed_form.hpp"
#include "problem/config.hpp"
#include "problem/enumeration.hpp"
#include "problem/kernel.hpp"
#include "problem/variant.hpp"

namespace {

using namespace hiptune;
using I = std::int64_t;
using Copy = BoundKernel<const float*, float*, I>;

struct Call {
  alignas(16) std::array<float, 4> x{1}, y{};
  const float* from = x.data();
  float* to = y.data();
  I elements = 1;
  std::array<void*, 3> arguments{&from, &to, &elements};
};

// No cache: the fallback, which is what device_launch launches.
Options without_cache() {
  Options options;
  options.device = "host";
  return options;
}

Copy bind_copy(const Dispatcher& dispatcher) { return dispatcher.bind<const float*, float*, I>("copy", "f32"); }

// The C interface's handles.
struct CCopy {
  hiptune_dispatcher* dispatcher = nullptr;
  hiptune_kernel* kernel = nullptr;
  CCopy() {
    if (hiptune_open("host", "", nullptr, &dispatcher) == HIPTUNE_SUCCESS)
      (void)hiptune_bind(dispatcher, "copy", "f32", nullptr, 0, &kernel);
  }
  ~CCopy() {
    hiptune_release(kernel);
    hiptune_close(dispatcher);
  }
  CCopy(const CCopy&) = delete;
  CCopy& operator=(const CCopy&) = delete;
};

// ---- calls

void device_launch(benchmark::State& state) {
  const auto device = open_device("host", {});
  const auto compiler = open_compiler("host", {});
  const Kernel kernel = KernelPath({}, {}).load("copy");
  const Problem problem = make_problem(kernel.space, {1}, Dtype::f32, {});
  const Variant variant = make_variant(kernel, problem, device->target().facts, kernel.space.fallback);
  const CompileResult compiled =
      compiler->compile({variant.source, variant.headers, variant.entry_points, device->target().architecture});
  const auto module = device->load(std::get<CodeObject>(compiled));
  Function function = module->function(variant.entry_points.front());
  Call call;
  const Geometry geometry = variant.plan.launches.front().geometry(std::array<I, 1>{1});
  for (auto _ : state) device->launch(function, geometry, call.arguments.data(), nullptr);
}
BENCHMARK(device_launch);

void launch(benchmark::State& state, I elements) {
  const Copy copy = bind_copy(Dispatcher(without_cache()));
  Call call;
  copy.prepare(call.from, call.to, call.elements);
  for (auto _ : state) {
    const Status status = copy(nullptr, call.from, call.to, elements);
    if (status != Status::success) state.SkipWithError(to_string(status));
  }
}
BENCHMARK_CAPTURE(launch, cpp, 1);
BENCHMARK_CAPTURE(launch, cpp_that_launches_nothing, 0);

void launch_c(benchmark::State& state, I elements) {
  const CCopy copy;
  Call call;
  if (hiptune_prepare(copy.kernel, call.arguments.data()) != HIPTUNE_SUCCESS)
    return state.SkipWithError(hiptune_last_error());
  call.elements = elements;
  for (auto _ : state)
    if (hiptune_launch(copy.kernel, nullptr, call.arguments.data()) != HIPTUNE_SUCCESS)
      state.SkipWithError(hiptune_last_error());
}
BENCHMARK_CAPTURE(launch_c, c, 1);
BENCHMARK_CAPTURE(launch_c, c_that_launches_nothing, 0);

void prepare_what_is_ready(benchmark::State& state) {
  const Copy copy = bind_copy(Dispatcher(without_cache()));
  Call call;
  for (auto _ : state) copy.prepare(call.from, call.to, call.elements);
}
BENCHMARK(prepare_what_is_ready);

void explain(benchmark::State& state) {
  const Copy copy = bind_copy(Dispatcher(without_cache()));
  Call call;
  for (auto _ : state) benchmark::DoNotOptimize(copy.explain(call.from, call.to, call.elements));
}
BENCHMARK(explain);

void explain_c(benchmark::State& state) {
  const CCopy copy;
  Call call;
  std::array<char, 1000> text{};
  for (auto _ : state)
    if (hiptune_explain(copy.kernel, call.arguments.data(), text.data(), text.size(), nullptr) != HIPTUNE_SUCCESS)
      state.SkipWithError(hiptune_last_error());
}
BENCHMARK(explain_c);

// ---- set-up

// With a cache that holds the fallback's code object, so that nothing is compiled after the first time.
void bind(benchmark::State& state) {
  Options options = without_cache();
  options.cache = std::filesystem::temp_directory_path() / ("hiptune-host-cost-" + std::to_string(::getpid()));
  {
    const Dispatcher dispatcher(options);
    (void)bind_copy(dispatcher);
    for (auto _ : state) benchmark::DoNotOptimize(bind_copy(dispatcher));
  }
  std::filesystem::remove_all(options.cache);
}
BENCHMARK(bind)->Unit(benchmark::kMillisecond);

// A cache folder of rmsnorm with entries of so many row counts.
class ManyEntries {
 public:
  explicit ManyEntries(I count)
      : root_(std::filesystem::temp_directory_path() / ("hiptune-many-entries-" + std::to_string(::getpid()))),
        key_(cache_key(target_, kernel_.name)) {
    std::filesystem::remove_all(root_);
    Store store(root_);
    for (I rows = 1; rows <= count; ++rows) store.put(key_, record(rows));
  }
  ~ManyEntries() { std::filesystem::remove_all(root_); }
  ManyEntries(const ManyEntries&) = delete;
  ManyEntries& operator=(const ManyEntries&) = delete;

  [[nodiscard]] std::size_t load() const { return Store(root_).load(key_).records.size(); }
  [[nodiscard]] std::size_t check() const {
    return load_catalog({root_}, target_, kernel_, kernel_.space.dtypes.front()).entries.size();
  }

 private:
  [[nodiscard]] Record record(I rows) const {
    Record record;
    record.dimensions = {{"rows", rows}, {"cols", 4096}};
    record.dtype = kernel_.space.dtypes.front();
    record.traits = make_problem(kernel_.space, {rows, 4096}, record.dtype, {}).traits;
    record.config = kernel_.space.fallback;
    record.timing = {{1000, 1, 40}, {900, 1, 40}};
    record.provenance.fingerprints = fingerprints_of(kernel_);
    record.provenance.target = target_;
    record.provenance.date = "2026-11-30T00:00:00.000Z";
    record.provenance.hiptune_version = HIPTUNE_VERSION;
    return record;
  }

  std::filesystem::path root_;
  const Kernel kernel_ = KernelPath({}, {}).load("rmsnorm");
  const Target target_ = open_device("host", {})->target();
  CacheKey key_;
};

void read_cache(benchmark::State& state) {
  const ManyEntries entries(state.range(0));
  for (auto _ : state)
    if (entries.load() != static_cast<std::size_t>(state.range(0))) state.SkipWithError("entries were lost");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(read_cache)->Arg(10)->Arg(300)->Unit(benchmark::kMillisecond);

void read_and_check_cache(benchmark::State& state) {
  const ManyEntries entries(state.range(0));
  for (auto _ : state)
    if (entries.check() != static_cast<std::size_t>(state.range(0))) state.SkipWithError("entries were not used");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(read_and_check_cache)->Arg(10)->Arg(300)->Unit(benchmark::kMillisecond);

// ---- spaces

void evaluate_closed_form(benchmark::State& state) {
  const Expression grid("min(ceil_div(rows, 4 * 256), 65535)", {"benchmark", "/grid"});
  const std::array<std::string, 1> batch{"rows"};
  const ClosedForm form(grid, {}, batch);
  std::array<I, 1> rows{4096};
  for (auto _ : state) {
    benchmark::DoNotOptimize(rows);
    benchmark::DoNotOptimize(form.evaluate(rows));
  }
}
BENCHMARK(evaluate_closed_form);

void evaluate_expression(benchmark::State& state) {
  const Expression constraint("BLOCK_SIZE * VECTORS * 16 <= 65536 && mod(cols, 4) == 0", {"benchmark", "/require"});
  const Names names{{"BLOCK_SIZE", 256}, {"VECTORS", 4}, {"cols", 4096}, {"rows", 1024}};
  for (auto _ : state) benchmark::DoNotOptimize(constraint.evaluate_bool(names));
}
BENCHMARK(evaluate_expression)->Unit(benchmark::kMicrosecond);

void read_rmsnorm(benchmark::State& state) {
  const KernelPath path({}, {});
  for (auto _ : state) benchmark::DoNotOptimize(path.load("rmsnorm"));
}
BENCHMARK(read_rmsnorm)->Unit(benchmark::kMillisecond);

void find_valid_configurations(benchmark::State& state) {
  const Kernel kernel = KernelPath({}, {}).load("rmsnorm");
  const Problem problem = make_problem(kernel.space, {1024, 4096}, kernel.space.dtypes.front(), {});
  const TargetFacts facts = open_device("host", {})->target().facts;
  std::size_t valid = 0;
  for (auto _ : state) valid = valid_configs(kernel.space, problem, facts, {}).valid.size();
  state.counters["valid"] = static_cast<double>(valid);
}
BENCHMARK(find_valid_configurations)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
