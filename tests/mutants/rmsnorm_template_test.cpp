#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

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

  struct Loaded {
    const Setting* setting;
    Config config;
    std::unique_ptr<LoadedPlan> plan;
  };

  // The settings' plans by problem, so that those of one problem share its inputs and oracle.
  struct Group {
    Problem problem;
    std::vector<Loaded> plans;
  };

  void add(std::vector<Group>& groups, const Setting& setting, const Problem& problem) const {
    const Config config = setting.full_config(kernel_.space);
    ASSERT_EQ(why_invalid(kernel_.space, problem, bench_.facts(), config), std::nullopt) << setting.name;
    const Variant variant = make_variant(kernel_, problem, bench_.facts(), config);
    auto group = std::ranges::find(groups, problem, &Group::problem);
    if (group == groups.end()) group = groups.insert(groups.end(), {problem, {}});
    group->plans.push_back(
        {&setting, config, std::make_unique<LoadedPlan>(*bench_.device, bench_.compile(variant), variant.plan)});
  }

  void expect_that_no_seed_rejects(const std::vector<Group>& groups) {
    std::map<std::string, double> closest;
    for (const Group& group : groups)
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) expect_passes(group, seed, closest);
    for (const auto& [name, in_limits] : closest)
      std::cout << "  the nearest that " << name << " came to its limit on " << GetParam() << ": " << in_limits
                << " of it\n";
  }

  const Kernel kernel_ = shipped_kernel("rmsnorm");
  const GateBench bench_;

 private:
  void expect_passes(const Group& group, std::uint64_t seed, std::map<std::string, double>& closest) {
    Gate gate(kernel_, *bench_.device, *bench_.compiler);
    for (std::size_t i = 0; i < kTunedSets; ++i)
      gate.add(tuned_case(kernel_, group.problem, bench_.facts(), oracle_of(group.problem), seed, i), Judged::on_host);
    for (const Loaded& loaded : group.plans) {
      const GateReport report = gate.check(*loaded.plan, loaded.config);
      EXPECT_EQ(report.failure, std::nullopt) << "seed " << seed << ": " << loaded.setting->name;
      EXPECT_EQ(report.checks, kTunedSets) << loaded.setting->name;
      double& nearest = closest[loaded.setting->name];
      nearest = std::max(nearest, report.errors.in_limits);
    }
  }

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
  std::vector<Group> groups;
  for (const Setting& setting : rmsnorm_settings()) add(groups, setting, setting.problem(kernel_.space));
  expect_that_no_seed_rejects(groups);
}

TEST_P(RmsnormTemplate, is_rejected_by_no_seed_at_the_widest_rows) {
  std::vector<Group> groups;
  for (const Setting& setting : rmsnorm_settings())
    if (setting.for_any_width) add(groups, setting, setting.problem_of(kernel_.space, 1, kWidest));
  EXPECT_EQ(groups.size(), 3u) << "every dtype";
  expect_that_no_seed_rejects(groups);
}

INSTANTIATE_TEST_SUITE_P(Devices, RmsnormTemplate, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
