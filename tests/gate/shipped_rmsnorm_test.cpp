#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gate_bench.hpp"
#include "present_devices.hpp"
#include "problem/config.hpp"
#include "problem/enumeration.hpp"
#include "search/covering.hpp"
#include "session/bench.hpp"

// What `verify` does, for a few configurations of the shipped RMSNorm in every dtype and with every value of every
// trait, on the CPU in waves of either size.
namespace hiptune::test {
namespace {

struct Part {
  std::int64_t rows, cols;
  Dtype dtype;
  std::vector<std::string> traits;
};

// Rows that no vector divides, some that one does, and long ones.
const std::vector<Part>& parts() {
  static const std::vector<Part> all{{5, 1030, Dtype::f32, {}},
                                     {9, 64, Dtype::f32, {"WEIGHT=none", "IN_PLACE=yes"}},
                                     {3, 9000, Dtype::f32, {"ALIGN=8"}},
                                     {7, 515, Dtype::f16, {"ALIGN=4", "WEIGHT=f32"}},
                                     {4, 4096, Dtype::f16, {"IN_PLACE=yes"}},
                                     {6, 100, Dtype::bf16, {"ALIGN=2", "WEIGHT=none"}},
                                     {3, 20000, Dtype::bf16, {}},
                                     {5, 2048, Dtype::bf16, {"WEIGHT=f32", "IN_PLACE=yes"}}};
  return all;
}

class ShippedRmsnorm : public testing::TestWithParam<std::string> {
 protected:
  void expect_right(const Kernel& kernel, const Problem& problem, const std::vector<Config>& configs) {
    Bench bench(kernel, problem, *devices_.device, *devices_.compiler, *devices_.host, *devices_.host_compiler, 1);
    for (const Config& config : configs) {
      const Trial trial = bench.run(config, std::nullopt, [](const std::string&) {});
      EXPECT_EQ(trial.outcome, Outcome::passed)
          << to_string(kernel.space, problem) << " " << to_string(config) << ": " << trial.detail;
      EXPECT_GT(trial.checks, 10);  // not every small shape is one that the settings are for
      EXPECT_GT(trial.errors.in_limits, 0) << "nothing was rounded, so nothing was compared";
    }
  }

  const GateBench devices_{GetParam()};
  const Kernel kernel_ = shipped_kernel("rmsnorm");
};
INSTANTIATE_TEST_SUITE_P(WaveSizes, ShippedRmsnorm, testing::Values("host", "host:wave64"), name_of_device);

// Each problem takes other configurations of its covering set, and those that have a value which none had before.
TEST_P(ShippedRmsnorm, is_right_in_every_dtype_and_trait) {
  constexpr std::size_t kEach = 2;
  std::set<std::string> seen;
  const auto has_news = [&](const Config& config) {
    bool any = false;
    for (const auto& value : config) any = seen.insert(to_string(Assignment{value})).second || any;
    return any;
  };
  for (std::size_t i = 0; i < parts().size(); ++i) {
    const Part& part = parts()[i];
    const Problem problem =
        make_problem(kernel_.space, {part.rows, part.cols}, part.dtype, parse_traits(kernel_.space, part.traits));
    const std::vector<Config> covering =
        pairwise_covering(valid_configs(kernel_.space, problem, devices_.facts(), {}).valid);
    std::vector<Config> configs;
    for (std::size_t j = 0; j < covering.size(); ++j) {
      const Config& config = covering[(i + j * parts().size()) % covering.size()];
      if (has_news(config) || j < kEach) configs.push_back(config);
    }
    expect_right(kernel_, problem, configs);
  }
  for (const char* value : {"REREAD=yes", "REREAD=no", "AHEAD=yes", "WEIGHT_LOAD=held", "WEIGHT_LOAD=held_lds",
                            "LDS_VECTORS=8", "REDUCTION=one_barrier"})
    EXPECT_THAT(seen, testing::Contains(value));
}

TEST_P(ShippedRmsnorm, is_right_in_its_baselines_and_its_fallback) {
  const Problem problem = make_problem(kernel_.space, {6, 777}, Dtype::bf16, {});
  std::vector<Config> configs{kernel_.space.fallback};
  for (const Baseline& baseline : kernel_.space.baselines) configs.push_back(baseline.config);
  expect_right(kernel_, problem, configs);
}

}  // namespace
}  // namespace hiptune::test
