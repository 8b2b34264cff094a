#include "contender.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include <spdlog/fmt/fmt.h>

#include "device/loaded_plan.hpp"
#include "gate/gate.hpp"
#include "hiptune/error.hpp"

namespace hiptune::origin {

namespace {

constexpr std::int64_t kBlock = 256;
constexpr std::size_t kX = 0, kW = 1, kY = 2;  // rmsnorm's buffers, in argument order

CodeObject read_code_object(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || text.empty())
    throw bad_input(file.string() +
                    " is not there: the origin's kernels, compiled by nvcc for this architecture "
                    "(HIPTUNE_ORIGIN_ARCHITECTURES), lie beside the program");
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {{first, first + text.size()}, "", {}};
}

// int, as the origin has it.
int to_int(std::int64_t value) { return static_cast<int>(value); }

void require_int_range(const Problem& problem) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (problem.dimensions[0] > kMost / problem.dimensions[1])
    throw bad_input(fmt::format("{} x {} elements are more than the origin's int indices count", problem.dimensions[0],
                                problem.dimensions[1]));
}

Contender origin_contender(const Arena& arena, const std::shared_ptr<Module>& module, const std::string& name,
                           const Geometry& geometry) {
  Contender contender;
  contender.name = contender.rival = "origin " + name;
  for (const Baseline& baseline : arena.kernel.space.baselines)
    if (baseline.name == name) contender.config = make_config(arena.kernel.space, baseline.config, name);
  Function function = module->function("origin_" + name);
  contender.launch = [&arena, module, function, geometry](const BufferSet& set, Stream stream) {
    const std::vector<void*> buffers = set.addresses();
    const void* x = buffers[kX];
    const void* w = buffers[kW];
    void* y = buffers[kY];
    int rows = to_int(arena.problem.dimensions[0]), cols = to_int(arena.problem.dimensions[1]);
    auto epsilon = static_cast<float>(arena.input.scalars.front());
    const std::array<void*, 6> arguments{&x, &w, &y, &rows, &cols, &epsilon};
    arena.device.launch(function, geometry, arguments.data(), stream);
  };
  return contender;
}

std::string describe(const Resources& resources) {
  return resources.vgprs ? fmt::format("{} registers", *resources.vgprs) : "";
}

Contender hiptune_contender(const Arena& arena, Compiler& compiler, const std::string& name, const Assignment& values) {
  const Space& space = arena.kernel.space;
  const TargetFacts& facts = arena.device.target().facts;
  for (const std::int64_t bytes : workspace_bytes(space, arena.problem, facts, make_config(space, values, name)))
    if (bytes > 0) throw failed(name + " has a workspace, for which there is no place here");
  Contender contender;
  contender.name = "hiptune " + name;
  contender.config = make_config(space, values, name);
  const Variant variant = make_variant(arena.kernel, arena.problem, facts, contender.config);
  const CompileResult compiled =
      compiler.compile({variant.source, variant.headers, variant.entry_points, arena.device.target().architecture});
  if (const auto* failure = std::get_if<CompileFailure>(&compiled)) throw failed(failure->log);
  const auto& code = std::get<CodeObject>(compiled);
  contender.resources = describe(code.resources.front());
  const auto plan = std::make_shared<LoadedPlan>(arena.device, code, variant.plan);
  contender.launch = [&arena, plan, batch = batch_values(space, arena.problem)](const BufferSet& set, Stream stream) {
    const Space& declared = arena.kernel.space;
    const ArgumentList arguments(declared, arena.problem,
                                 CallValues{set.addresses(), strides_of(declared, set.layouts()), arena.input.scalars,
                                            std::vector<void*>(declared.workspaces.size(), nullptr)});
    plan->launch(batch, arguments.pointers(), stream);
  };
  return contender;
}

Geometry blocks(std::int64_t count, std::int64_t dynamic_lds) {
  return {.grid = {count, 1, 1}, .block = {kBlock, 1, 1}, .dynamic_lds = dynamic_lds, .cluster = 1};
}

}  // namespace

std::vector<Contender> origin_contenders(const Arena& arena, const std::filesystem::path& folder) {
  require_int_range(arena.problem);
  const std::filesystem::path file = folder / ("origin_" + arena.device.target().architecture + ".cubin");
  const std::shared_ptr<Module> module = arena.device.load(read_code_object(file));
  const std::int64_t rows = arena.problem.dimensions[0];
  return {origin_contender(arena, module, "serial", blocks((rows + kBlock - 1) / kBlock, 0)),
          origin_contender(arena, module, "block", blocks(rows, kBlock * std::int64_t{sizeof(float)}))};
}

std::vector<Contender> hiptune_contenders(const Arena& arena, Compiler& compiler) {
  std::vector<Contender> contenders;
  for (const Baseline& baseline : arena.kernel.space.baselines) {
    if (baseline.name != "serial" && baseline.name != "block") continue;  // the origin has no other
    contenders.push_back(hiptune_contender(arena, compiler, baseline.name, baseline.config));
    contenders.back().rival = "origin " + baseline.name;
  }
  contenders.push_back(hiptune_contender(arena, compiler, "fallback", arena.kernel.space.fallback));
  contenders.back().rival = "origin block";
  return contenders;
}

double check(const Arena& arena, const Contender& contender) {
  const BufferSet buffers(arena.device, arena.input.layouts);
  upload(arena.device, buffers, arena.input.images);
  contender.launch(buffers, nullptr);
  arena.device.synchronize(nullptr);
  const Images after = download(arena.device, buffers);
  const Limit limit = tolerance_of(arena.kernel.space, arena.problem, arena.device.target().facts, contender.config);
  const Comparison comparison = compare(arena.input.layouts[kY], after[kY], arena.input.oracle.front(), limit);
  if (comparison.failure) throw failed(contender.name + " is wrong: y" + *comparison.failure);
  if (const auto place = damaged_surroundings(arena.input.layouts[kY], arena.input.images[kY], after[kY]))
    throw failed(contender.name + " is wrong: y: it wrote " + *place);
  return comparison.errors.in_limits;
}

}  // namespace hiptune::origin
