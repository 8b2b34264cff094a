// What a dispatched call costs on the host beyond the launch itself: a copy of one element, once through the dispatcher
// and once by Device::launch with the same function, geometry and arguments. Compare within one run only.
#include <benchmark/benchmark.h>

#include <array>

#include "device/backends.hpp"
#include "hiptune/dispatcher.hpp"
#include "problem/kernel.hpp"
#include "problem/variant.hpp"

namespace {

using namespace hiptune;
using I = std::int64_t;

struct Call {
  alignas(16) std::array<float, 4> x{1}, y{};
  const float* from = x.data();
  float* to = y.data();
  I elements = 1;
};

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
  std::array<void*, 3> arguments{&call.from, &call.to, &call.elements};
  const Geometry geometry = variant.plan.launches.front().geometry(std::array<I, 1>{1});
  for (auto _ : state) device->launch(function, geometry, arguments.data(), nullptr);
}
BENCHMARK(device_launch);

void dispatched_call(benchmark::State& state) {
  Options options;  // no cache: the fallback, which is what device_launch launches
  options.device = "host";
  const auto copy = Dispatcher(options).bind<const float*, float*, I>("copy", "f32");
  Call call;
  copy.prepare(call.from, call.to, call.elements);
  for (auto _ : state) {
    const Status status = copy(nullptr, call.from, call.to, call.elements);
    if (status != Status::success) state.SkipWithError(to_string(status));
  }
}
BENCHMARK(dispatched_call);

// A call that launches nothing: there are no elements.
void dispatched_empty_call(benchmark::State& state) {
  Options options;
  options.device = "host";
  const auto copy = Dispatcher(options).bind<const float*, float*, I>("copy", "f32");
  Call call;
  for (auto _ : state) benchmark::DoNotOptimize(copy(nullptr, call.from, call.to, 0));
}
BENCHMARK(dispatched_empty_call);

}  // namespace

BENCHMARK_MAIN();
