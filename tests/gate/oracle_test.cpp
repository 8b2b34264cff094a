#include "gate/oracle.hpp"

#include <gtest/gtest.h>

namespace hiptune {
namespace {

// Several threads look through as many.
constexpr std::int64_t kMany = 1 << 20;

TEST(OracleOutput, tells_the_first_element_that_was_not_written) {
  OracleOutput output(kMany);
  EXPECT_EQ(output.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(output.unwritten(), 0);
  const double unwritten = output[0];
  std::fill_n(output.data(), kMany, 1.0);
  EXPECT_EQ(output.unwritten(), -1);
  for (const std::int64_t gap : {kMany - 1, kMany / 2, kMany / 2 - 1, std::int64_t{7}}) {
    output.data()[gap] = unwritten;
    EXPECT_EQ(output.unwritten(), gap);
  }
  EXPECT_TRUE(output.guards_intact());
}

TEST(OracleOutput, tells_what_was_written_outside) {
  for (const std::int64_t place : {std::int64_t{-1}, std::int64_t{-1024}, std::int64_t{5}, std::int64_t{5 + 1023}}) {
    OracleOutput output(5);
    EXPECT_TRUE(output.guards_intact());
    output.data()[place] = 1;
    EXPECT_FALSE(output.guards_intact()) << place;
  }
}

TEST(OracleOutput, may_be_empty) {
  const OracleOutput output(0);
  EXPECT_EQ(output.begin(), output.end());
  EXPECT_EQ(output.unwritten(), -1);
}

}  // namespace
}  // namespace hiptune
