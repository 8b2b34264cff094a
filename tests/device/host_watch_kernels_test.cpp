// The kernels that ship, on watched devices and on such with inaccessible pages: sound ones pass, and every barrier
// that is taken from rmsnorm is missed in a single run.
#include <algorithm>

#include "device/bench.hpp"
#include "device/buffer_set.hpp"
#include "device/host/backend.hpp"
#include "device/loaded_plan.hpp"
#include "mutants/mutation.hpp"
#include "problem/variant.hpp"

namespace hiptune::device_tests {

using host::HostSettings;

namespace {

struct Shape {
  std::vector<std::int64_t> dimensions;
  std::int64_t grid_limit = 0;  // > 0: so that blocks have several rows
  bool padded = true;
};

std::vector<Shape> shapes_of(const std::string& kernel) {
  if (kernel == "copy") return {{{1}}, {{1001}}, {{20000}, 2}};
  return {{{1, 1}}, {{3, 13}, 2}, {{7, 257}, 2}, {{9, 256}, 2}, {{9, 256}, 2, false}, {{5, 1300}, 0}};
}

std::size_t scalars_of(const Space& space) {
  return static_cast<std::size_t>(std::ranges::count_if(
      space.arguments, [](const Argument& argument) { return std::holds_alternative<ScalarArgument>(argument); }));
}

}  // namespace

class ShippedKernels : public testing::Test {
 protected:
  static Bench bench_of(HostSettings settings) {
    settings.workers = 1;
    return Bench(host::open_with(settings));
  }
  static Bench watched(int wave_size) { return bench_of({.facts = host::facts_of(wave_size), .watched = true}); }

  static CodeObject compile(Bench& bench, const Kernel& kernel, const Config& config) {
    const Problem problem =
        make_problem(kernel.space, shapes_of(kernel.space.kernel).front().dimensions, Dtype::f32, {});
    const Variant variant = make_variant(kernel, problem, bench.facts(), config);
    CompileResult result = bench.compiler().compile(
        {variant.source, variant.headers, variant.entry_points, bench.device().target().architecture});
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(result));
  }

  // One launch of a plan. What the device says of it, or nothing.
  static std::string run(Bench& bench, const Kernel& kernel, const Shape& shape, const Config& config,
                         LoadedPlan& plan) {
    const Space& space = kernel.space;
    const Problem problem = make_problem(space, shape.dimensions, Dtype::f32, {});
    if (why_invalid(space, problem, bench.facts(), config)) return "";
    Device& device = bench.device();
    const BufferSet buffers(device, buffer_layouts(space, problem, bench.facts(), shape.padded, device.pages()));
    const WorkspaceSet workspaces(device, workspace_bytes(space, problem, bench.facts(), config));
    for (std::size_t i = 0; i < buffers.layouts().size(); ++i)
      device.fill(buffers.allocation(i), std::byte{0x3f}, buffers.layouts()[i].bytes, nullptr);
    const ArgumentList arguments(space, problem,
                                 {buffers.addresses(), strides_of(space, buffers.layouts()),
                                  std::vector<double>(scalars_of(space), 1e-5), workspaces.addresses()});
    device.watch(watched_buffers(space, buffers.layouts(), buffers.addresses(), workspaces));
    plan.replan(make_plan(space, problem, bench.facts(), config, shape.grid_limit));
    try {
      plan.launch(batch_values(space, problem), arguments.pointers(), nullptr);
    } catch (const KernelFault& fault) {
      return fault.what();
    }
    return "";
  }

  static void expect_sound(Bench& bench, const std::string& name) {
    const Kernel kernel = KernelPath({}, {}).load(name);
    const std::vector<Shape> shapes = shapes_of(name);
    for (const Config& config : all_configs(kernel.space, {})) {
      LoadedPlan plan(bench.device(), compile(bench, kernel, config), {});
      for (const Shape& shape : shapes)
        EXPECT_EQ(run(bench, kernel, shape, config, plan), "") << name << " " << to_string(config);
    }
  }
};

class SoundKernels : public ShippedKernels, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, SoundKernels, testing::Values("rmsnorm", "row_norm2", "copy"),
                         [](const auto& setup) { return setup.param; });

TEST_P(SoundKernels, pass_in_every_configuration_when_watched) {
  Bench bench = watched(32);
  expect_sound(bench, GetParam());
  Bench wide = bench_of({.facts = host::facts_of(64), .watched = true, .pages = Pages::behind});
  expect_sound(wide, GetParam());
}

TEST_P(SoundKernels, pass_in_every_configuration_between_pages) {
  for (const Pages pages : {Pages::behind, Pages::before}) {
    Bench bench = bench_of({.pages = pages});
    expect_sound(bench, GetParam());
  }
}

class MissingBarriers : public ShippedKernels, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(WaveSizes, MissingBarriers, testing::Values(32, 64), testing::PrintToStringParamName());

// Blocks loop over rows, and threads over columns; inputs are all the same, so that results are right all the same.
TEST_P(MissingBarriers, of_rmsnorm_are_races_in_one_forward_run) {
  Bench bench = watched(GetParam());
  const Kernel kernel = KernelPath({}, {}).load("rmsnorm");
  const std::string barrier = "hiptune::barrier();";
  const int barriers = test::count_of(barrier, kernel.source.text);
  EXPECT_EQ(barriers, 5);
  std::vector<int> caught(static_cast<std::size_t>(barriers), 0);
  for (const Config& config : all_configs(kernel.space, {})) {
    if (to_string(config).find("serial") != std::string::npos) continue;  // has no barriers
    const std::string whole = compile(bench, kernel, config).isa_hash;
    for (int i = 0; i < barriers; ++i) {
      Kernel mutant = kernel;
      mutant.source.text = test::mutate(kernel.source.text, {"a barrier is missing", barrier, ";", i + 1});
      const CodeObject code = compile(bench, mutant, config);
      if (code.isa_hash == whole) continue;  // this configuration does not use it
      LoadedPlan plan(bench.device(), code, {});
      EXPECT_THAT(run(bench, mutant, {{7, 257}, 2}, config, plan),
                  testing::ContainsRegex("race: thread [0-9]+ (reads|writes) LDS byte [0-9]+, which thread [0-9]+ "
                                         "(wrote|read) with no barrier in between \\(rmsnorm\\.hip:[0-9]+"))
          << to_string(config) << " barrier " << i + 1;
      ++caught[static_cast<std::size_t>(i)];
    }
  }
  EXPECT_THAT(caught, testing::Each(testing::Ge(3)));
}

}  // namespace hiptune::device_tests
