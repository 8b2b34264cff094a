#include "problem/value.hpp"

#include <gtest/gtest.h>

namespace hiptune {
namespace {

const Assignment kConfig{{"REDUCTION", "lds_tree"}, {"BLOCK_SIZE", std::int64_t{256}}};

TEST(Value, prints_integers_and_words_as_they_stand_in_the_file) {
  EXPECT_EQ(to_string(Value(std::int64_t{-12})), "-12");
  EXPECT_EQ(to_string(Value("serial")), "serial");
}

TEST(Value, prints_an_assignment_in_its_own_order) {
  EXPECT_EQ(to_string(kConfig), "REDUCTION=lds_tree BLOCK_SIZE=256");
}

TEST(Value, prints_an_empty_assignment_as_nothing) { EXPECT_EQ(to_string(Assignment{}), ""); }

TEST(Value, finds_a_value_by_its_whole_name) {
  ASSERT_NE(find(kConfig, "BLOCK_SIZE"), nullptr);
  EXPECT_EQ(*find(kConfig, "BLOCK_SIZE"), Value(std::int64_t{256}));
  EXPECT_EQ(find(kConfig, "BLOCK"), nullptr);
}

}  // namespace
}  // namespace hiptune
