#include "dispatch/choices.hpp"

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <span>

#include "problem/config.hpp"
#include "problem/variant.hpp"

namespace hiptune {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

// Three block sizes; the large one needs many columns. `batch` dimensions vary from call to call.
Space space_with(const std::string& dimensions, const std::string& arguments) {
  return read_space(R"({
  "schema_version": 1, "kernel": "k", "description": "made up",
  "dimensions": {)" + dimensions +
                        R"(},
  "dtypes": ["f32"],
  "traits": {"WEIGHT": {"values": ["same", "none"], "default": "same"}},
  "arguments": [{"buffer": "y", "role": "out", "extent": ["cols"]}, )" +
                        arguments + R"({"dimension": "cols"}],
  "tunables": {"BLOCK_SIZE": {"values": [64, 256, 1024]}},
  "constraints": [{"require": "BLOCK_SIZE < 1024 || cols >= 1024", "reason": "a large block needs 1024 columns"}],
  "plan": [{"entry": "k", "grid": "1", "block": "BLOCK_SIZE"}],
  "work": {"bytes": "cols", "flops": "0"},
  "tolerance": {"atol": "0", "rtol": "0", "reason": "made up"},
  "baselines": {},
  "fallback": {"BLOCK_SIZE": 64}
})",
                    "k.json");
}
Space matrix_space() {
  return space_with(R"("rows": {"minimum": 1, "maximum": 1099511627776, "batch": true},
                       "cols": {"minimum": 1, "maximum": 65536})",
                    R"({"dimension": "rows"}, )");
}
Space two_batches_space() {
  return space_with(R"("images": {"minimum": 1, "maximum": 65536, "batch": true},
                       "rows": {"minimum": 1, "maximum": 65536, "batch": true},
                       "cols": {"minimum": 1, "maximum": 65536})",
                    R"({"dimension": "images"}, {"dimension": "rows"}, )");
}

Problem problem(std::vector<std::int64_t> dimensions, const std::string& weight = "same") {
  return {std::move(dimensions), Dtype::f32, {{"WEIGHT", weight}}};
}
TunedProblem tuned(std::vector<std::int64_t> dimensions, std::int64_t block, const std::string& weight = "same") {
  return {problem(std::move(dimensions), weight), {{"BLOCK_SIZE", block}}};
}

// The entry that serves a batch size.
std::size_t entry_for(const Choices& choices, std::int64_t batch) {
  for (const Breakpoint& point : choices.breakpoints)
    if (batch <= point.up_to) return point.entry;
  ADD_FAILURE() << "no entry for " << batch;
  return 0;
}

TEST(Choices, an_empty_catalog_leaves_the_fallback) {
  EXPECT_TRUE(choose(matrix_space(), {}, problem({1, 256}), TargetFacts{}).breakpoints.empty());
}

TEST(Choices, one_entry_serves_every_batch_size) {
  const std::vector<TunedProblem> entries{tuned({64, 256}, 64)};
  const Choices choices = choose(matrix_space(), entries, problem({1, 256}), TargetFacts{});
  ASSERT_EQ(choices.breakpoints.size(), 1u);
  EXPECT_EQ(choices.breakpoints[0].up_to, kUnbounded);
}

TEST(Choices, the_border_between_two_batch_sizes_is_their_geometric_mean) {
  const std::vector<TunedProblem> entries{tuned({1024, 256}, 64), tuned({16, 256}, 256)};  // in no order
  const Choices choices = choose(matrix_space(), entries, problem({1, 256}), TargetFacts{});
  ASSERT_EQ(choices.breakpoints.size(), 2u);
  EXPECT_EQ(entry_for(choices, 128), 1u);
  EXPECT_EQ(entry_for(choices, 129), 0u);
}

TEST(Choices, each_tuned_batch_size_gets_its_own_entry) {
  std::vector<TunedProblem> entries;
  const std::int64_t large = (std::int64_t{1} << 40) - 1;
  for (std::int64_t rows : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, large, large + 1})
    entries.push_back(tuned({rows, 256}, 64));
  const Choices choices = choose(matrix_space(), entries, problem({1, 256}), TargetFacts{});
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(entry_for(choices, entries[i].problem.dimensions[0]), i) << i;
}

TEST(Choices, an_entry_of_the_same_columns_goes_before_a_nearer_batch_size) {
  const std::vector<TunedProblem> entries{tuned({4, 512}, 64), tuned({100000, 256}, 256)};
  EXPECT_EQ(entry_for(choose(matrix_space(), entries, problem({1, 256}), TargetFacts{}), 4), 1u);
}

TEST(Choices, without_the_same_columns_the_nearest_by_ratio_serve) {
  const std::vector<TunedProblem> entries{tuned({1, 100}, 64), tuned({1, 1000}, 256), tuned({64, 1000}, 64)};
  const Choices choices = choose(matrix_space(), entries, problem({1, 400}), TargetFacts{});  // 4 : 1 and 2.5 : 1
  EXPECT_EQ(entry_for(choices, 1), 1u);
  EXPECT_EQ(entry_for(choices, 64), 2u);
}

TEST(Choices, an_entry_whose_configuration_is_not_valid_here_takes_no_part) {
  const std::vector<TunedProblem> entries{tuned({1, 1024}, 1024), tuned({1, 64}, 64)};
  EXPECT_EQ(entry_for(choose(matrix_space(), entries, problem({1, 1000}), TargetFacts{}), 1), 1u);
  EXPECT_EQ(entry_for(choose(matrix_space(), entries, problem({1, 1025}), TargetFacts{}), 1), 0u);
  const std::vector<TunedProblem> invalid{tuned({1, 1024}, 1024)};
  EXPECT_TRUE(choose(matrix_space(), invalid, problem({1, 1000}), TargetFacts{}).breakpoints.empty());
}

TEST(Choices, the_limits_of_the_target_count_as_well) {
  TargetFacts small;
  small.max_block_threads = 128;
  const std::vector<TunedProblem> entries{tuned({1, 256}, 256), tuned({1, 4096}, 64)};
  EXPECT_EQ(entry_for(choose(matrix_space(), entries, problem({1, 256}), small), 1), 1u);
}

TEST(Choices, another_trait_counts_as_far_as_a_factor_of_two) {
  const std::vector<TunedProblem> entries{tuned({1, 256}, 64, "none"), tuned({1, 300}, 64), tuned({1, 1024}, 64)};
  EXPECT_EQ(entry_for(choose(matrix_space(), entries, problem({1, 256}), TargetFacts{}), 1), 1u);
  const std::vector<TunedProblem> far{tuned({1, 256}, 64, "none"), tuned({1, 1024}, 64)};
  EXPECT_EQ(entry_for(choose(matrix_space(), far, problem({1, 256}), TargetFacts{}), 1), 0u);
}

TEST(Choices, equally_near_on_either_side_the_first_of_the_catalog_stands) {
  const std::vector<TunedProblem> entries{tuned({8, 512}, 256), tuned({8, 128}, 64)};
  const Choices choices = choose(matrix_space(), entries, problem({1, 256}), TargetFacts{});
  ASSERT_EQ(choices.breakpoints.size(), 1u);
  EXPECT_EQ(choices.breakpoints[0].entry, 0u);
}

TEST(Choices, batches_of_the_same_size_are_told_apart_where_they_were_tuned) {
  const std::vector<TunedProblem> entries{tuned({2, 8, 256}, 64), tuned({4, 4, 256}, 256)};
  const Choices choices = choose(two_batches_space(), entries, problem({1, 1, 256}), TargetFacts{});
  ASSERT_EQ(choices.exact.size(), 2u);
  EXPECT_THAT(choices.exact[0].batch, testing::ElementsAre(2, 8));
  EXPECT_EQ(choices.exact[0].entry, 0u);
  EXPECT_EQ(choices.exact[1].entry, 1u);
  EXPECT_TRUE(choose(two_batches_space(), entries, problem({1, 1, 512}), TargetFacts{}).exact.empty());
}

TEST(BatchSize, is_the_product_and_saturates) {
  const std::vector<std::int64_t> small{3, 5}, large{std::int64_t{1} << 40, std::int64_t{1} << 40}, none;
  EXPECT_EQ(batch_size(small), 15);
  EXPECT_EQ(batch_size(large), kUnbounded);
  EXPECT_EQ(batch_size(none), 1);
}

TEST(Choices, the_entry_of_given_batch_dimensions_is_exact_before_it_is_near) {
  const Space space = two_batches_space();
  const std::vector<TunedProblem> entries{tuned({2, 8, 64}, 64), tuned({4, 4, 64}, 256), tuned({100, 100, 64}, 64)};
  const Choices choices = choose(space, entries, problem({1, 1, 64}), {});
  const auto entry = [&](std::int64_t images, std::int64_t rows) {
    const std::array<std::int64_t, 2> batch{images, rows};
    return entry_for(choices, std::span<const std::int64_t>(batch));
  };
  EXPECT_EQ(entry(2, 8), 0u);
  EXPECT_EQ(entry(4, 4), 1u) << "the same product as the first";
  EXPECT_EQ(entry(90, 110), 2u);
  EXPECT_EQ(entry(1, 2), 0u);
  EXPECT_EQ(entry_for(Choices{}, std::span<const std::int64_t>()), std::nullopt);
}

}  // namespace
}  // namespace hiptune
