#include "mutants/mutation.hpp"

#include <gtest/gtest.h>

namespace hiptune::test {
namespace {

TEST(Mutation, replaces_the_occurrence_that_is_asked_for) {
  EXPECT_EQ(mutate("a b a b", {"", "b", "c", 2}), "a b a c");
  EXPECT_EQ(mutate("a b", {"", "b", "c"}), "a c");
}

TEST(Mutation, does_not_fit_a_template_that_has_changed) {
  EXPECT_THROW((void)mutate("a", {"", "b", "c"}), std::invalid_argument);
  EXPECT_THROW((void)mutate("b b", {"", "b", "c"}), std::invalid_argument);
  EXPECT_THROW((void)mutate("b b", {"", "b", "c", 3}), std::invalid_argument);
  EXPECT_THROW((void)mutate("b", {"", "b", "b"}), std::invalid_argument);
}

}  // namespace
}  // namespace hiptune::test
