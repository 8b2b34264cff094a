#include "cache/safe_name.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace hiptune {
namespace {

TEST(SafeName, of_a_safe_text_is_the_text) {
  EXPECT_EQ(safe_name("rmsnorm-REDUCTION.lds_tree-BLOCK_SIZE.256", 100), "rmsnorm-REDUCTION.lds_tree-BLOCK_SIZE.256");
  EXPECT_EQ(safe_name("gfx90a:sramecc+:xnack-", 100), "gfx90a-sramecc+-xnack-");
}

TEST(SafeName, keeps_no_character_that_means_something_in_a_path) {
  const std::string name = safe_name("../a/b\n$c", 100);
  EXPECT_TRUE(std::ranges::all_of(name, is_safe)) << name;
  EXPECT_NE(name.front(), '.');
}

TEST(SafeName, tells_long_texts_apart) {
  const std::string long_text(500, 'x');
  EXPECT_EQ(safe_name(long_text, 200).size(), 200u);
  EXPECT_NE(safe_name(long_text + "a", 200), safe_name(long_text + "b", 200));
}

}  // namespace
}  // namespace hiptune
