#include <gtest/gtest.h>

#include <iostream>

#include "gate_bench.hpp"
#include "present_devices.hpp"

namespace hiptune::test {
namespace {

constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {{3, 13}, {33, 257}, {1, 1}, {1, 4096}};

class RmsnormTemplate : public testing::TestWithParam<std::string> {};

// Dimensions are never compiled in: one code object per configuration serves every shape.
TEST_P(RmsnormTemplate, passes_in_every_variant_at_ragged_and_degenerate_shapes) {
  const GateBench bench(GetParam());
  const Kernel kernel = shipped_kernel("rmsnorm");
  std::vector<Problem> problems;
  std::vector<Gate> gates;
  for (const auto& [rows, cols] : kShapes) {
    problems.push_back(make_problem(kernel.space, {rows, cols}, Dtype::f32, {}));
    gates.push_back(bench.gate(kernel, problems.back(), gates.empty()));
  }
  const std::vector<Config> configs = all_configs(kernel.space, {});
  EXPECT_EQ(configs.size(), 18u);
  for (const Config& config : configs) {
    const Variant variant = make_variant(kernel, problems.front(), bench.facts(), config);
    LoadedPlan plan(*bench.device, bench.compile(variant), variant.plan);
    for (Gate& gate : gates) {
      const GateReport report = gate.check(plan, config);
      EXPECT_EQ(report.failure, std::nullopt) << to_string(config);
      const int left_out = &gate == &gates.front() && !gate.runs_far_rows() ? 1 : 0;
      EXPECT_EQ(report.checks, static_cast<int>(gate.size()) - left_out) << to_string(config);
      EXPECT_LE(report.errors.in_limits, 1.0) << to_string(config);
      EXPECT_GT(report.errors.in_limits, 0.0) << "nothing was rounded, so nothing was compared";
    }
  }
}

// A limit that is too low rejects right kernels by chance: by some seed, at some width.
TEST_P(RmsnormTemplate, is_rejected_by_no_seed_up_to_the_widest_rows) {
  const GateBench bench(GetParam());
  const Kernel kernel = shipped_kernel("rmsnorm");
  const Problem any = make_problem(kernel.space, {3, 1}, Dtype::f32, {});
  const Oracle oracle(kernel, any, *bench.host, *bench.host_compiler);
  std::vector<std::pair<Config, std::unique_ptr<LoadedPlan>>> plans;
  for (const Config& config : all_configs(kernel.space, {})) {
    const Variant variant = make_variant(kernel, any, bench.facts(), config);
    plans.emplace_back(config, std::make_unique<LoadedPlan>(*bench.device, bench.compile(variant), variant.plan));
  }
  double closest = 0;
  for (const std::int64_t cols : {1, 37, 4099, 262144})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Gate gate = bench.gate(kernel, make_problem(kernel.space, {3, cols}, Dtype::f32, {}), oracle, seed);
      for (const auto& [config, plan] : plans) {
        const GateReport report = gate.check(*plan, config);
        EXPECT_EQ(report.failure, std::nullopt) << "seed " << seed << ": " << to_string(config);
        closest = std::max(closest, report.errors.in_limits);
      }
    }
  std::cout << "  the nearest that any came to its limit on " << GetParam() << ": " << closest << " of it\n";
}

INSTANTIATE_TEST_SUITE_P(Devices, RmsnormTemplate, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
