#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "problem/enumeration.hpp"
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

// Devices of either wave size; one has clusters.
std::vector<TargetFacts> targets() {
  std::vector<TargetFacts> all{wave(64), wave(32)};
  all.back().max_cluster = 16;
  all.back().lds_bytes = 232448;
  all.back().compute_units = 132;
  return all;
}

std::vector<std::vector<std::int64_t>> shapes_of(const Space& space) {
  if (space.dimensions.size() == 1) return {{1}, {39}, {4096}, {1 << 24}, {512LL * 262144}};
  return {{3, 13}, {1024, 1024}, {1024, 4096}, {512, 262144}};
}

// The defaults, and each other value of one trait.
std::vector<Assignment> trait_values(const Space& space, Dtype dtype) {
  std::vector<Assignment> all{{}};
  for (const Trait& trait : space.traits)
    for (const Value& value : trait.values)
      if (value != trait.values[trait.default_index] && !why_impossible(space, trait, value, dtype))
        all.push_back({{trait.name, value}});
  return all;
}

// Of a listing about eight, spread over it.
std::vector<Config> spread(const std::vector<Config>& all) {
  std::vector<Config> some;
  for (std::size_t i = 0; i < all.size(); i += all.size() / 8 + 1) some.push_back(all[i]);
  return some;
}

void expect_launchable(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config) {
  const Plan plan = make_plan(space, problem, facts, config);
  EXPECT_FALSE(plan.launches.empty());
  for (const LaunchPlan& launch : plan.launches) {
    const Geometry geometry = launch.geometry(batch_values(space, problem));
    EXPECT_THAT(geometry.blocks(), AllOf(Ge(1), Le(facts.max_grid_x)));
    EXPECT_THAT(geometry.threads_per_block(), AllOf(Ge(1), Le(facts.max_block_threads)));
    EXPECT_THAT(geometry.dynamic_lds, AllOf(Ge(0), Le(facts.lds_bytes)));
    EXPECT_EQ(geometry.blocks() % geometry.cluster, 0);
  }
  for (const std::int64_t bytes : workspace_bytes(space, problem, facts, config)) EXPECT_GE(bytes, 0);
}

// Half a unit in the last place of a dtype, relative to the number.
double rounding_of(Dtype dtype) { return dtype == Dtype::f32 ? 0x1p-24 : dtype == Dtype::f16 ? 0x1p-11 : 0x1p-8; }

// Neither slack nor impossible: no tighter than the result's own rounding, unless nothing is computed, and of a sum no
// looser than one thread that adds up the whole row, which f32 numbers allow.
void expect_possible(const Space& space, const Problem& problem, const TargetFacts& facts, const Config& config) {
  const Limit limit = tolerance_of(space, problem, facts, config);
  EXPECT_THAT((std::vector{limit.atol, limit.rtol}), Each(AllOf(Ge(0), Le(0.5))));
  if (space.kernel == "copy") {
    EXPECT_EQ(limit.rtol, 0);
    return;
  }
  const double cols = static_cast<double>(problem.dimensions.at(1));
  EXPECT_GE(limit.rtol, rounding_of(problem.dtype));
  EXPECT_LE(limit.rtol, 1.1 * rounding_of(problem.dtype) + (cols + 32) * 0x1p-24);
}

// Of a size that a search can get through, and what the constraints allow can be launched and judged.
void expect_good_listing(const Space& space, const Problem& problem, const TargetFacts& facts) {
  SCOPED_TRACE(to_string(space, problem) + " in waves of " + std::to_string(facts.wave_size));
  const std::vector<Config> valid = valid_configs(space, problem, facts, {}).valid;
  EXPECT_THAT(valid.size(), AllOf(Ge(1U), Le(2500U)));
  for (const Config& config : spread(valid)) {
    SCOPED_TRACE(to_string(config));
    expect_launchable(space, problem, facts, config);
    expect_possible(space, problem, facts, config);
  }
}

TEST(ShippedKernels, problems_of_every_shape_and_dtype_have_some_configurations_but_not_too_many) {
  for (const std::string& name : shipped().names()) {
    const Space space = shipped().load(name).space;
    for (const TargetFacts& facts : targets())
      for (const Dtype dtype : space.dtypes)
        for (const std::vector<std::int64_t>& shape : shapes_of(space))
          expect_good_listing(space, make_problem(space, shape, dtype, {}), facts);
  }
}

TEST(ShippedKernels, and_so_has_every_value_of_every_trait) {
  for (const std::string& name : shipped().names()) {
    const Space space = shipped().load(name).space;
    for (const Dtype dtype : space.dtypes)
      for (const Assignment& traits : trait_values(space, dtype))
        expect_good_listing(space, make_problem(space, shapes_of(space)[2], dtype, traits), targets().front());
  }
}

TEST(ShippedKernels, baselines_and_fallback_are_valid_wherever_they_should_be) {
  const Space space = shipped().load("rmsnorm").space;
  for (const TargetFacts& facts : targets())
    for (const Dtype dtype : space.dtypes)
      for (const Assignment& traits : trait_values(space, dtype)) {
        const auto reason_of = [&](const Config& config, std::int64_t cols) {
          return why_invalid(space, make_problem(space, {512, cols}, dtype, traits), facts, config);
        };
        for (const std::int64_t cols : {1, 13, 4096, 262144}) {
          EXPECT_EQ(reason_of(space.fallback, cols), std::nullopt);
          for (const Baseline& baseline : space.baselines) EXPECT_EQ(reason_of(baseline.config, cols), std::nullopt);
        }
        EXPECT_THAT(reason_of(space.baselines.at(0).config, (1 << 20) + 1), testing::Optional(HasSubstr("digits")));
      }
}

// The fallback with other values.
Config rmsnorm_config(const Space& space, const Assignment& changes) {
  Config config = space.fallback;
  for (const auto& [name, value] : changes)
    std::ranges::find(config, name, &std::pair<std::string, Value>::first)->second = value;
  return config;
}

TEST(ShippedKernels, rmsnorm_launches_what_its_scheme_says) {
  const Space space = shipped().load("rmsnorm").space;
  const Problem problem = make_problem(space, {1000, 65536}, Dtype::f32, {});
  TargetFacts facts = targets().back();
  const auto launches_of = [&](const Config& config) {
    EXPECT_EQ(why_invalid(space, problem, facts, config), std::nullopt) << to_string(config);
    std::vector<std::pair<std::string, Geometry>> all;
    for (const LaunchPlan& launch : make_plan(space, problem, facts, config).launches)
      all.emplace_back(launch.entry, launch.geometry(batch_values(space, problem)));
    return all;
  };
  const auto int_of = [](int value) { return Value{std::int64_t{value}}; };

  const auto serial = launches_of(space.baselines.at(0).config);
  ASSERT_EQ(serial.size(), 1U);
  EXPECT_EQ(serial[0].second.blocks(), 4);
  EXPECT_EQ(serial[0].second.dynamic_lds, 0);

  const auto block = launches_of(space.baselines.at(1).config);
  ASSERT_EQ(block.size(), 1U);
  EXPECT_EQ(block[0].second.blocks(), 1000);
  EXPECT_EQ(block[0].second.dynamic_lds, 1024);

  const auto unfused = launches_of(space.baselines.at(2).config);
  ASSERT_EQ(unfused.size(), 3U);
  EXPECT_EQ(unfused[0].first + " " + unfused[1].first + " " + unfused[2].first,
            "rmsnorm_square rmsnorm_reduce rmsnorm_scale");
  EXPECT_THAT(workspace_bytes(space, problem, facts, space.baselines.at(2).config),
              ElementsAre(1000 * 4, 1000LL * 65536 * 4));

  const auto fused = launches_of(space.fallback);
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_EQ(fused[0].second.blocks(), 1000);
  EXPECT_EQ(fused[0].second.dynamic_lds, 2 * 4 * 256 / 32);  // two halves of a sum per wave
  EXPECT_THAT(workspace_bytes(space, problem, facts, space.fallback), ElementsAre(0, 0));

  const Config in_two = rmsnorm_config(
      space,
      {{"SCHEME", std::string("split")}, {"SPLIT", int_of(4)}, {"VECTOR_ELEMENTS", int_of(4)}, {"UNROLL", int_of(4)}});
  const auto split = launches_of(in_two);
  ASSERT_EQ(split.size(), 2U);
  EXPECT_EQ(split[0].first + " " + split[1].first, "rmsnorm_sum_parts rmsnorm_scale_parts");
  EXPECT_EQ(split[0].second.blocks(), 4000);
  EXPECT_THAT(workspace_bytes(space, problem, facts, in_two), ElementsAre(4000 * 4, 0));

  const auto cluster =
      launches_of(rmsnorm_config(space, {{"SPLIT", int_of(4)}, {"VECTOR_ELEMENTS", int_of(4)}, {"UNROLL", int_of(4)}}));
  ASSERT_EQ(cluster.size(), 1U);
  EXPECT_EQ(cluster[0].second.blocks(), 4000);
  EXPECT_EQ(cluster[0].second.cluster, 4);
}

TEST(ShippedKernels, rmsnorms_tolerance_follows_the_length_of_the_sum_and_the_result_s_type) {
  const Space space = shipped().load("rmsnorm").space;
  const auto rtol_of = [&](const Config& config, std::int64_t cols, Dtype dtype) {
    return tolerance_of(space, make_problem(space, {8, cols}, dtype, {}), wave(32), config).rtol;
  };
  // 4096 / 2 + 9, and with 256 threads (4096 / 256 + 8 + 1) / 2 + 9 roundings of 2^-24.
  const Config serial = space.baselines.at(0).config, block = space.baselines.at(1).config;
  EXPECT_NEAR(rtol_of(serial, 4096, Dtype::f32) * 0x1p24, 2057, 1);
  EXPECT_NEAR(rtol_of(block, 4096, Dtype::f32) * 0x1p24, 21.5, 0.1);
  EXPECT_NEAR(rtol_of(space.fallback, 256, Dtype::f32) * 0x1p24, 14, 0.1);
  for (const auto& [dtype, rounding] : {std::pair(Dtype::f16, 0x1p-11), std::pair(Dtype::bf16, 0x1p-8)})
    EXPECT_NEAR((rtol_of(block, 4096, dtype) - 1.05 * rounding) * 0x1p24, 21.5, 0.1);
}

TEST(ShippedKernels, copy_offers_wide_vectors_only_where_pointers_allow_them) {
  const Space space = shipped().load("copy").space;
  const auto valid = [&](std::int64_t align) {
    const Problem problem = make_problem(space, {1 << 20}, Dtype::f32, {{"ALIGN", align}});
    const std::vector<Config> configs = all_configs(space, {});
    return std::ranges::count_if(configs,
                                 [&](const Config& config) { return !why_invalid(space, problem, wave(32), config); });
  };
  EXPECT_EQ(valid(4), 24);
  EXPECT_EQ(valid(8), 48);
  EXPECT_EQ(valid(16), 70);  // 1024 threads with 8 vectors of 16 bytes would spill
}

}  // namespace
}  // namespace hiptune
