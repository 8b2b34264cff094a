#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gate/gate.hpp"
#include "gate_bench.hpp"
#include "mutants/mutation.hpp"

// What the gate does about faults planted into the results of right variants.
namespace hiptune::test {
namespace {

class SelfTest : public testing::Test {
 protected:
  std::vector<CaughtFault> planted_in(const Kernel& kernel, const std::vector<std::int64_t>& dimensions, Dtype dtype,
                                      const std::vector<PlantedFault>& faults = planted_faults()) {
    const Problem problem = make_problem(kernel.space, dimensions, dtype, {});
    Gate gate = bench_.gate(kernel, problem, true);
    const Variant variant = make_variant(kernel, problem, bench_.facts(), kernel.space.fallback);
    LoadedPlan plan(*bench_.device, bench_.compile(variant), variant.plan);
    return gate.self_test(plan, kernel.space.fallback, faults);
  }

  static Kernel test_kernel(const std::string& name) {
    return KernelPath({std::filesystem::path(HIPTUNE_SOURCE_DIR) / "tests/gate/kernels"}, {}).load(name);
  }

  static void expect_all_caught(const std::vector<CaughtFault>& faults, std::size_t kinds) {
    std::set<std::string> names, cases;
    for (const CaughtFault& one : faults) {
      EXPECT_FALSE(one.caught.empty()) << one.fault << " survived in " << one.where;
      names.insert(one.fault);
      cases.insert(one.where);
    }
    EXPECT_EQ(names.size(), kinds);
    EXPECT_EQ(cases.size(), 2u) << "one compared on the device, one on the host";
  }

  const GateBench bench_{"host"};
};

TEST_F(SelfTest, catches_all_that_is_planted_in_rmsnorm) {
  expect_all_caught(planted_in(shipped_kernel("rmsnorm"), {7, 300}, Dtype::f32), planted_faults().size());
}

TEST_F(SelfTest, catches_a_write_behind_a_workspace_too) {
  expect_all_caught(planted_in(test_kernel("scale_rows"), {40, 30}, Dtype::f32), planted_faults().size());
}

TEST_F(SelfTest, leaves_out_of_integers_what_only_floats_have) {
  const std::vector<CaughtFault> faults = planted_in(test_kernel("row_max"), {20, 16, 16}, Dtype::i32);
  for (const CaughtFault& one : faults) {
    EXPECT_FALSE(one.caught.empty()) << one.fault;
    EXPECT_THAT(one.fault, testing::Not(testing::AnyOf(testing::HasSubstr("NaN"), testing::HasSubstr("bfloat16"))));
  }
  EXPECT_GT(faults.size(), 12u);
}

TEST_F(SelfTest, reports_a_survivor_and_what_is_caught_as_something_else) {
  const auto do_nothing = [](const AfterLaunch&) { return true; };
  const std::vector<PlantedFault> faults{{"a fault that is none", "the oracle says", false, do_nothing},
                                         {"nothing launched, taken for a write", "wrote", true, do_nothing},
                                         {"a place that is not there", "", false, [](const auto&) { return false; }}};
  const std::vector<CaughtFault> results = planted_in(row_rms(), {7, 300}, Dtype::f32, faults);
  ASSERT_EQ(results.size(), 4u) << "two faults in two cases";
  for (const CaughtFault& one : results) EXPECT_EQ(one.caught, "") << one.fault;
}

TEST_F(SelfTest, is_not_for_a_variant_that_is_wrong_itself) {
  Kernel kernel = row_rms();
  kernel.source.text = mutate(kernel.source.text, {"", "scale * w[c]", "scale * 2.0f"});
  EXPECT_THROW((void)planted_in(kernel, {7, 300}, Dtype::f32), KernelFault);
}

}  // namespace
}  // namespace hiptune::test
