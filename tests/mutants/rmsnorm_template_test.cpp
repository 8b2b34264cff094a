#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "gate_bench.hpp"
#include "mutants/rmsnorm_settings.hpp"
#include "present_devices.hpp"

namespace hiptune::test {
namespace {

constexpr std::int64_t kWidest = 262144;
constexpr std::uint64_t kSeeds = 20;

class RmsnormTemplate : public testing::TestWithParam<std::string> {
 protected:
  RmsnormTemplate() : bench_(GetParam()) {}

  // One per dtype and traits.
  [[nodiscard]] const Oracle& oracle_of(const Problem& problem) {
    std::unique_ptr<Oracle>& found = oracles_[to_string(problem.dtype) + " " + to_string(problem.traits)];
    if (!found) found = std::make_unique<Oracle>(kernel_, problem, *bench_.host, *bench_.host_compiler);
    return *found;
  }

  // How near any seed came to the limit.
  [[nodiscard]] double expect_that_no_seed_rejects(const Setting& setting, const Problem& problem) {
    const Config config = setting.full_config(kernel_.space);
    const Variant variant = make_variant(kernel_, problem, bench_.facts(), config);
    LoadedPlan plan(*bench_.device, bench_.compile(variant), variant.plan);
    double closest = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Gate gate = bench_.gate(kernel_, problem, oracle_of(problem), seed);
      const GateReport report = gate.check(plan, config);
      EXPECT_EQ(report.failure, std::nullopt) << "seed " << seed << ": " << setting.name;
      EXPECT_EQ(report.checks, kTunedSets) << setting.name;
      closest = std::max(closest, report.errors.in_limits);
    }
    return closest;
  }

  const Kernel kernel_ = shipped_kernel("rmsnorm");
  const GateBench bench_;

 private:
  std::map<std::string, std::unique_ptr<Oracle>> oracles_;
};

TEST_P(RmsnormTemplate, every_setting_is_valid_at_its_problem) {
  for (const Setting& setting : rmsnorm_settings())
    EXPECT_EQ(
        why_invalid(kernel_.space, setting.problem(kernel_.space), bench_.facts(), setting.full_config(kernel_.space)),
        std::nullopt)
        << setting.name;
}

// Dimensions are never compiled in: one code object per configuration serves every shape.
TEST_P(RmsnormTemplate, passes_on_every_path_at_ragged_and_degenerate_shapes) {
  for (const Setting& setting : rmsnorm_settings()) {
    const Problem problem = setting.problem(kernel_.space);
    const Config config = setting.full_config(kernel_.space);
    const Variant variant = make_variant(kernel_, problem, bench_.facts(), config);
    LoadedPlan plan(*bench_.device, bench_.compile(variant), variant.plan);
    Gate gate = bench_.gate(kernel_, problem, true);
    const GateReport report = gate.check(plan, config);
    EXPECT_EQ(report.failure, std::nullopt) << setting.name;
    EXPECT_GT(report.checks, kTunedSets + 5) << setting.name << ": what is near the tuned shape was left out";
    EXPECT_LE(report.errors.in_limits, 1.0) << setting.name;
    EXPECT_GT(report.errors.in_limits, 0.0) << "nothing was rounded, so nothing was compared: " << setting.name;
  }
}

// A limit that is too low rejects right kernels by chance: by some seed, at some width.
TEST_P(RmsnormTemplate, is_rejected_by_no_seed_on_any_path) {
  double closest = 0;
  for (const Setting& setting : rmsnorm_settings())
    closest = std::max(closest, expect_that_no_seed_rejects(setting, setting.problem(kernel_.space)));
  std::cout << "  the nearest that any came to its limit on " << GetParam() << ": " << closest << " of it\n";
}

class WidestRows : public RmsnormTemplate {};

TEST_P(WidestRows, are_rejected_by_no_seed) {
  int settings = 0;
  for (const Setting& setting : rmsnorm_settings()) {
    if (!setting.for_any_width) continue;
    ++settings;
    const Problem problem = setting.problem_of(kernel_.space, 1, kWidest);
    ASSERT_EQ(why_invalid(kernel_.space, problem, bench_.facts(), setting.full_config(kernel_.space)), std::nullopt);
    const double closest = expect_that_no_seed_rejects(setting, problem);
    std::cout << "  the nearest that " << setting.name << " came to its limit at " << kWidest << " columns on "
              << GetParam() << ": " << closest << " of it\n";
  }
  EXPECT_EQ(settings, 8);
}

INSTANTIATE_TEST_SUITE_P(Devices, RmsnormTemplate, testing::ValuesIn(present_devices()), name_of_device);
INSTANTIATE_TEST_SUITE_P(Devices, WidestRows, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
