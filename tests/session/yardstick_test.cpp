#include "session/yardstick.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "problem/enumeration.hpp"
#include "session_bench.hpp"

// Copies on the CPU, with the real program as worker and a copy kernel of few configurations.
namespace hiptune {
namespace {

using Json = nlohmann::ordered_json;

Json small_copy_space() {
  Json space = Json::parse(test::text_of_file(test::source_folder() / "search_spaces/copy.json"));
  space["tunables"] = {{"BLOCK_SIZE", {128, 256}},
                       {"VECTOR_BYTES", {4, 16}},
                       {"VECTORS_PER_THREAD", {1, 2}},
                       {"HINT", {"none", "both"}}};
  space["constraints"].push_back({{"require", "HINT == HINT.none"}, {"reason", "one is enough"}});
  space["baselines"] = {
      {"wide", {{"BLOCK_SIZE", 256}, {"VECTOR_BYTES", 16}, {"VECTORS_PER_THREAD", 2}, {"HINT", "none"}}},
      {"narrow", {{"BLOCK_SIZE", 128}, {"VECTOR_BYTES", 4}, {"VECTORS_PER_THREAD", 2}, {"HINT", "none"}}}};
  space["fallback"] = {{"BLOCK_SIZE", 256}, {"VECTOR_BYTES", 4}, {"VECTORS_PER_THREAD", 1}, {"HINT", "none"}};
  return space;
}

class Yardstick : public testing::Test {
 protected:
  // The configurations that are tried of a copy of 8,000 bytes, in order.
  [[nodiscard]] std::vector<std::string> tried(const Json& space) {
    std::ofstream(kernels_.path() / "copy.json") << space.dump();
    const Kernel copy = load();
    Coordinator coordinator(test::worker_settings(kernels_.path()));
    TimingLimits limits;
    limits.stop.min_samples = limits.stop.max_samples = 1;
    limits.warmups = 1;
    std::vector<std::string> configs;
    try_copies(coordinator, copy, 8000, 1, limits, [&](const Trial& trial) {
      EXPECT_EQ(trial.outcome, Outcome::timed) << to_string(trial.config) << trial.detail;
      configs.push_back(to_string(trial.config));
    });
    return configs;
  }
  [[nodiscard]] Kernel load() const { return KernelPath({kernels_.path()}, {}).load("copy"); }

  const test::OwnKernels kernels_;
};

std::set<std::string> pairs(const std::vector<Config>& configs) {
  std::set<std::string> found;
  for (const Config& config : configs)
    for (const auto& one : config)
      for (const auto& other : config) found.insert(to_string(Assignment{one, other}));
  return found;
}

TEST_F(Yardstick, the_copy_kernel_s_baselines_come_first_and_then_a_covering_set_none_twice) {
  const std::vector<std::string> configs = tried(small_copy_space());
  ASSERT_THAT(configs.size(), testing::AllOf(testing::Ge(4U), testing::Le(6U)));
  EXPECT_EQ(configs[0], "BLOCK_SIZE=256 VECTOR_BYTES=16 VECTORS_PER_THREAD=2 HINT=none");
  EXPECT_EQ(configs[1], "BLOCK_SIZE=128 VECTOR_BYTES=4 VECTORS_PER_THREAD=2 HINT=none");
  EXPECT_EQ(std::set(configs.begin(), configs.end()).size(), configs.size());
  const Kernel copy = load();
  const std::vector<Config> valid = valid_configs(copy.space, copy_problem(copy.space, 8000), {}, {}).valid;
  std::vector<Config> found;
  std::ranges::copy_if(valid, std::back_inserter(found),
                       [&](const Config& config) { return std::ranges::count(configs, to_string(config)) == 1; });
  EXPECT_EQ(found.size(), configs.size());
  EXPECT_EQ(pairs(found), pairs(valid));
}

TEST_F(Yardstick, of_many_configurations_the_cpu_tries_few) {
  Json space = small_copy_space();
  space["tunables"]["BLOCK_SIZE"] = {64, 128, 256, 512, 1024};
  const std::vector<std::string> configs = tried(space);
  EXPECT_EQ(configs.size(), 6U);
  EXPECT_EQ(configs[0], "BLOCK_SIZE=256 VECTOR_BYTES=16 VECTORS_PER_THREAD=2 HINT=none");
}

TEST_F(Yardstick, a_baseline_that_is_invalid_here_is_left_out) {
  Json space = small_copy_space();
  space["constraints"].push_back({{"require", "COMPUTE_UNITS > 1000000 || VECTORS_PER_THREAD * VECTOR_BYTES < 32"},
                                  {"reason", "only for the largest device"}});
  const std::vector<std::string> configs = tried(space);
  ASSERT_FALSE(configs.empty());
  EXPECT_EQ(configs[0], "BLOCK_SIZE=128 VECTOR_BYTES=4 VECTORS_PER_THREAD=2 HINT=none");
  EXPECT_THAT(configs,
              testing::Not(testing::Contains("BLOCK_SIZE=256 VECTOR_BYTES=16 VECTORS_PER_THREAD=2 HINT=none")));
}

TEST(YardstickProblem, moves_the_bytes_half_of_them_read) {
  const Space space = KernelPath({}, {}).load("copy").space;
  EXPECT_EQ(copy_problem(space, 8000).dimensions, std::vector<std::int64_t>{1000});
  EXPECT_EQ(copy_problem(space, 1).dimensions, std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace hiptune
