#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "problem/variant.hpp"
#include "spaces.hpp"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

KernelPath shipped() { return {{}, {}}; }

TargetFacts wave(int size) {
  TargetFacts facts;
  facts.wave_size = size;
  return facts;
}

TEST(ShippedKernels, are_these) { EXPECT_THAT(shipped().names(), ElementsAre("copy", "rmsnorm", "row_norm2")); }

TEST(ShippedKernels, every_source_has_the_entry_points_of_its_space) {
  for (const std::string& name : shipped().names()) {
    const Kernel kernel = shipped().load(name);
    for (const LaunchRule& rule : kernel.space.plan) EXPECT_THAT(kernel.source.text, HasSubstr(rule.entry + "("));
    EXPECT_THAT(kernel.reference.text, HasSubstr("extern \"C\" __global__ void " + name + "_reference("));
  }
}

// Every configuration that the constraints allow has a launchable plan and a tolerance that is neither slack nor
// impossible, at the smallest and at the largest non-batch dimensions.
TEST(ShippedKernels, every_configuration_is_launchable) {
  for (const std::string& name : shipped().names()) {
    const Space space = shipped().load(name).space;
    for (const int wave_size : {32, 64}) {
      std::vector<std::int64_t> sizes;
      for (const Dimension& dimension : space.dimensions) sizes.push_back(dimension.batch ? 1000 : dimension.maximum);
      const Problem problem = make_problem(space, sizes, Dtype::f32, {});
      for (const Config& config : all_configs(space, {})) {
        const auto reason = why_invalid(space, problem, wave(wave_size), config);
        if (to_string(config).starts_with("REDUCTION=serial")) {  // too many columns for a sum in one thread
          EXPECT_THAT(reason, testing::Optional(HasSubstr("digits"))) << name;
          continue;
        }
        if (reason && reason->find("must fit in registers") != std::string::npos) continue;
        EXPECT_EQ(reason, std::nullopt) << name << to_string(config);
        const Limit limit = tolerance_of(space, problem, wave(wave_size), config);
        EXPECT_THAT((std::vector{limit.atol, limit.rtol}), Each(AllOf(Ge(0), Le(0.5)))) << name << to_string(config);
      }
    }
  }
}

TEST(ShippedKernels, rmsnorm_launches_one_thread_or_one_block_per_row) {
  const Space space = shipped().load("rmsnorm").space;
  const Problem problem = make_problem(space, {1000, 4096}, Dtype::f32, {});
  const auto grid_of = [&](const char* reduction) {
    const Config config{{"REDUCTION", reduction}, {"BLOCK_SIZE", std::int64_t{256}}};
    return make_plan(space, problem, wave(32), config).launches.at(0).geometry(batch_values(space, problem));
  };
  EXPECT_EQ(grid_of("serial").blocks(), 4);
  EXPECT_EQ(grid_of("serial").dynamic_lds, 0);
  EXPECT_EQ(grid_of("lds_tree").blocks(), 1000);
  EXPECT_EQ(grid_of("shuffle_tail").dynamic_lds, 1024);
}

TEST(ShippedKernels, rmsnorms_tolerance_follows_the_length_of_the_sum) {
  const Space space = shipped().load("rmsnorm").space;
  const auto rtol_of = [&](const char* reduction, std::int64_t cols) {
    const Config config{{"REDUCTION", reduction}, {"BLOCK_SIZE", std::int64_t{256}}};
    return tolerance_of(space, make_problem(space, {8, cols}, Dtype::f32, {}), wave(32), config).rtol;
  };
  // 4096 / 2 + 8 and (4096 / 256 + 8) / 2 + 8 roundings of 2^-24.
  EXPECT_NEAR(rtol_of("serial", 4096) * 0x1p24, 2056, 1);
  EXPECT_NEAR(rtol_of("lds_tree", 4096) * 0x1p24, 20, 0.1);
  EXPECT_NEAR(rtol_of("shuffle_tail", 256) * 0x1p24, 12.5, 0.1);
}

TEST(ShippedKernels, copy_offers_wide_vectors_only_where_pointers_allow_them) {
  const Space space = shipped().load("copy").space;
  const auto valid = [&](std::int64_t align) {
    const Problem problem = make_problem(space, {1 << 20}, Dtype::f32, {{"ALIGN", align}});
    const std::vector<Config> configs = all_configs(space, {});
    return std::ranges::count_if(configs,
                                 [&](const Config& config) { return !why_invalid(space, problem, wave(32), config); });
  };
  EXPECT_EQ(valid(4), 9);
  EXPECT_EQ(valid(8), 17);   // 1024 threads with 16 vectors of 8 bytes would spill
  EXPECT_EQ(valid(16), 25);  // and of 16 bytes too
}

}  // namespace
}  // namespace hiptune
