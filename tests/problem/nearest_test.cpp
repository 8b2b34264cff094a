#include "problem/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hiptune {
namespace {

const std::vector<std::string> kKnown{"BLOCK_SIZE", "BLOCK_ROWS", "REDUCTION"};

TEST(Nearest, suggests_the_closest_word) {
  EXPECT_EQ(did_you_mean("BLOCK_SIZ", kKnown), " (did you mean \"BLOCK_SIZE\"?)");
  EXPECT_EQ(did_you_mean("BLOCKROWS", kKnown), " (did you mean \"BLOCK_ROWS\"?)");
  EXPECT_EQ(did_you_mean("REDCUTION", kKnown), " (did you mean \"REDUCTION\"?)");
}

TEST(Nearest, counts_two_swapped_letters_as_one_mistake) {
  const std::vector<std::string> known{"f32", "ALIGN"};
  EXPECT_EQ(did_you_mean("ALGIN", known), " (did you mean \"ALIGN\"?)");
  EXPECT_EQ(did_you_mean("LAGIN", known), "");
}

TEST(Nearest, ignores_case) { EXPECT_EQ(did_you_mean("reduction", kKnown), " (did you mean \"REDUCTION\"?)"); }

TEST(Nearest, suggests_nothing_when_nothing_is_near) {
  EXPECT_EQ(did_you_mean("cluster", kKnown), "");
  EXPECT_EQ(did_you_mean("BLOCK", kKnown), "");
  EXPECT_EQ(did_you_mean("X", kKnown), "");
  EXPECT_EQ(did_you_mean("REDUCTION", {}), "");
}

TEST(Excerpt, cuts_what_is_longer_than_a_line) {
  EXPECT_EQ(excerpt("rows"), "rows");
  EXPECT_EQ(excerpt(std::string(120, 'x')), std::string(120, 'x'));
  EXPECT_EQ(excerpt(std::string(121, 'x')), std::string(117, 'x') + "...");
}

TEST(Excerpt, cuts_no_character_in_two) {
  std::string text(116, 'x');
  for (int i = 0; i < 10; ++i) text += "\xc3\xa4";
  EXPECT_EQ(excerpt(text), std::string(116, 'x') + "...");
}

TEST(Nearest, joins_words_with_commas) {
  EXPECT_EQ(join(kKnown), "BLOCK_SIZE, BLOCK_ROWS, REDUCTION");
  EXPECT_EQ(join({}), "none");
}

}  // namespace
}  // namespace hiptune
