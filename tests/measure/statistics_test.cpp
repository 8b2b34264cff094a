#include "measure/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace hiptune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Statistics, median_of_an_odd_count_is_the_middle_value) { EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0}), 5.0); }

TEST(Statistics, median_of_an_even_count_is_the_mean_of_the_middle_two) {
  EXPECT_EQ(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
}

TEST(Statistics, median_ignores_one_lucky_sample) {
  EXPECT_EQ(median(std::vector{0.001, 10.0, 10.0, 11.0, 12.0}), 10.0);
}

TEST(Statistics, quantiles_are_linear_between_samples) {
  const std::vector samples{0.0, 10.0, 20.0, 30.0};
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 7.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1.0), 30.0);
}

TEST(Statistics, no_samples_are_a_broken_invariant) { EXPECT_THROW((void)median({}), std::logic_error); }

TEST(Statistics, spread_is_half_the_central_fifty_percent) {
  const Summary summary = summarize(std::vector{1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_DOUBLE_EQ(summary.spread, 1.0);
  EXPECT_EQ(summary.samples, 5);
}

TEST(Statistics, relative_error_shrinks_with_the_root_of_the_count) {
  const Summary few{100, 1, 25}, many{100, 1, 100};
  EXPECT_DOUBLE_EQ(few.relative_error(), 2 * many.relative_error());
  EXPECT_NEAR(many.relative_error(), 1.2533 * (1 / 0.6745) / 10 / 100, 1e-12);
}

TEST(Statistics, medians_a_percent_apart_tie_only_where_noise_covers_the_difference) {
  const Summary noisy_a{100, 5, 10}, noisy_b{100.9, 5, 10};
  const Summary sharp_a{100, 0.01, 100}, sharp_b{100.9, 0.01, 100};
  EXPECT_TRUE(is_tie(noisy_a, noisy_b, 0.01));
  EXPECT_FALSE(is_tie(sharp_a, sharp_b, 0.01));
}

TEST(Statistics, medians_further_apart_than_allowed_never_tie) {
  EXPECT_FALSE(is_tie(Summary{100, 50, 5}, Summary{102, 50, 5}, 0.01));
}

TEST(Outliers, are_none_in_constant_samples_and_in_few) {
  EXPECT_THAT(outliers(std::vector(20, 7.0)), IsEmpty());
  EXPECT_THAT(outliers(std::vector<double>{}), IsEmpty());
  EXPECT_THAT(outliers(std::vector{7.0}), IsEmpty());
  EXPECT_THAT(outliers(std::vector{7.0, 9.0}), IsEmpty());
}

TEST(Outliers, are_rare_in_normal_noise) {
  std::mt19937_64 random(1);
  std::normal_distribution<> noise(100, 1);
  int marked = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> samples;
    for (int i = 0; i < 20; ++i) samples.push_back(noise(random));
    marked += outliers(samples).empty() ? 0 : 1;
  }
  EXPECT_LT(marked, 30) << "of 1000 runs; 15 are expected";
}

TEST(Outliers, are_found_where_they_are) {
  std::vector<double> samples{10.0, 10.1, 9.9, 10.2, 9.8, 10.1, 30.0, 10.0, 9.9, 1.0};
  EXPECT_THAT(outliers(samples), ElementsAre(6, 9));
}

TEST(Outliers, are_found_among_equal_samples) {
  std::vector<double> samples(20, 10.0);
  samples[3] = 11;
  EXPECT_THAT(outliers(samples), ElementsAre(3));
}

TEST(Outliers, are_not_what_a_coarse_clock_rounds_up) {
  std::vector<double> samples(11, 10.0);
  samples.resize(20, 10.032);
  EXPECT_THAT(outliers(samples), IsEmpty());
}

}  // namespace
}  // namespace hiptune
