// The kernels that ship, on watched devices and on such with inaccessible pages: sound ones pass, and every barrier
// that is taken from one is missed in a single run.
#include <algorithm>
#include <optional>
#include <tuple>

#include "device/bench.hpp"
#include "device/buffer_set.hpp"
#include "device/host/backend.hpp"
#include "device/loaded_plan.hpp"
#include "mutants/mutation.hpp"
#include "problem/enumeration.hpp"
#include "problem/variant.hpp"
#include "search/covering.hpp"

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

  static CodeObject compile(Bench& bench, const Kernel& kernel, const Config& config, const Problem& problem) {
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

  // Every configuration of a small space. Of a large one, at a short and at a long row, as many as there is patience
  // for of a set in which every pair of values occurs: those of one part of four. All run at every shape they are valid
  // for.
  static void expect_sound(Bench& bench, const std::string& name, std::size_t part) {
    constexpr std::size_t kSmall = 40, kParts = 4, kMost = 8 * kParts;
    const Kernel kernel = KernelPath({}, {}).load(name);
    const std::vector<Shape> shapes = shapes_of(name);
    std::vector<Config> configs;
    for (const Shape* at : {&shapes[shapes.size() / 2], &shapes.back()}) {
      const Problem problem = make_problem(kernel.space, at->dimensions, Dtype::f32, {});
      std::vector<Config> some = valid_configs(kernel.space, problem, bench.facts(), {}).valid;
      const bool is_small = some.size() <= kSmall;
      if (!is_small) some = pairwise_covering(some);
      for (std::size_t i = is_small ? 0 : part; i < std::min(some.size(), kMost); i += is_small ? 1 : kParts)
        if (std::ranges::find(configs, some[i]) == configs.end()) configs.push_back(some[i]);
    }
    EXPECT_GE(configs.size(), name == "copy" ? 3U : 15U);
    for (const Config& config : configs) expect_sound(bench, kernel, config);
  }
  static void expect_sound(Bench& bench, const Kernel& kernel, const Config& config) {
    std::unique_ptr<LoadedPlan> plan;
    for (const Shape& shape : shapes_of(kernel.name)) {
      const Problem problem = make_problem(kernel.space, shape.dimensions, Dtype::f32, {});
      if (why_invalid(kernel.space, problem, bench.facts(), config)) continue;
      if (!plan) plan = std::make_unique<LoadedPlan>(bench.device(), compile(bench, kernel, config, problem), Plan{});
      EXPECT_EQ(run(bench, kernel, shape, config, *plan), "") << kernel.name << " " << to_string(config);
    }
    EXPECT_NE(plan, nullptr);
  }
};

class SoundKernels : public ShippedKernels, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, SoundKernels, testing::Values("rmsnorm", "row_norm2", "copy"),
                         [](const auto& setup) { return setup.param; });

TEST_P(SoundKernels, pass_when_watched) {
  Bench bench = watched(32);
  expect_sound(bench, GetParam(), 0);
  Bench wide = bench_of({.facts = host::facts_of(64), .watched = true, .pages = Pages::behind});
  expect_sound(wide, GetParam(), 1);
}

TEST_P(SoundKernels, pass_between_pages) {
  Bench behind = bench_of({.pages = Pages::behind});
  expect_sound(behind, GetParam(), 2);
  Bench before = bench_of({.pages = Pages::before});
  expect_sound(before, GetParam(), 3);
}

class MissingBarriers : public ShippedKernels, public testing::WithParamInterface<int> {
 protected:
  // What one forward run without each barrier in turn is told of; none where the configuration does not use it. Blocks
  // loop over rows, and threads over columns; inputs are all the same, so that results are right all the same.
  std::vector<std::optional<std::string>> told_without_each(const Kernel& kernel, const Config& config) {
    const std::string barrier = "hiptune::barrier();";
    const Problem problem = make_problem(kernel.space, {7, 257}, Dtype::f32, {});
    const std::string whole = compile(bench_, kernel, config, problem).isa_hash;
    std::vector<std::optional<std::string>> told(static_cast<std::size_t>(test::count_of(barrier, kernel.source.text)));
    for (std::size_t i = 0; i < told.size(); ++i) {
      Kernel mutant = kernel;
      mutant.source.text =
          test::mutate(kernel.source.text, {"a barrier is missing", barrier, ";", static_cast<int>(i) + 1});
      const CodeObject code = compile(bench_, mutant, config, problem);
      if (code.isa_hash == whole) continue;
      LoadedPlan plan(bench_.device(), code, {});
      told[i] = run(bench_, mutant, {{7, 257}, 2}, config, plan);
    }
    return told;
  }

  Bench bench_ = watched(GetParam());
};
INSTANTIATE_TEST_SUITE_P(WaveSizes, MissingBarriers, testing::Values(32, 64), testing::PrintToStringParamName());

TEST_P(MissingBarriers, of_a_small_kernel_are_races_in_one_forward_run) {
  const Kernel kernel = KernelPath({HIPTUNE_SOURCE_DIR "/tests/kernels"}, {}).load("row_rms");
  std::vector<int> caught(5, 0);
  for (const Config& config : all_configs(kernel.space, {})) {
    if (to_string(config).find("serial") != std::string::npos) continue;  // has no barriers
    const auto told = told_without_each(kernel, config);
    ASSERT_EQ(told.size(), caught.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (!told[i]) continue;
      EXPECT_THAT(*told[i],
                  testing::ContainsRegex("race: thread [0-9]+ (reads|writes) LDS byte [0-9]+, which thread [0-9]+ "
                                         "(wrote|read) with no barrier in between \\(row_rms\\.hip:[0-9]+"))
          << to_string(config) << " barrier " << i + 1;
      ++caught[i];
    }
  }
  EXPECT_THAT(caught, testing::Each(testing::Ge(3)));
}

// Of the shipped RMSNorm the baselines with a tree in LDS, and the fallback, which has one barrier for a row and one
// between rows. Where only one thread uses a tree's sum, as in the unfused baseline, one barrier would do for the
// tree's last and the next.
TEST_P(MissingBarriers, of_rmsnorm_are_races_in_one_forward_run) {
  const Kernel kernel = KernelPath({}, {}).load("rmsnorm");
  for (const auto& [config, used, harmless] :
       {std::tuple(kernel.space.baselines.at(1).config, 3, 0), std::tuple(kernel.space.baselines.at(2).config, 3, 2),
        std::tuple(kernel.space.fallback, 2, 0)}) {
    int in_use = 0, silent = 0;
    for (const auto& told : told_without_each(kernel, config)) {
      if (!told) continue;
      ++in_use;
      if (told->empty()) ++silent;
      EXPECT_THAT(*told, testing::AnyOf("", testing::ContainsRegex("race: thread [0-9]+"))) << to_string(config);
    }
    EXPECT_EQ(in_use, used) << to_string(config);
    EXPECT_EQ(silent, harmless) << to_string(config);
  }
}

}  // namespace hiptune::device_tests
