#include "problem/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::everything_space;
using test::message_of;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kTwo = 2;

std::string error_of(const Assignment& values) {
  return message_of([&] { (void)make_config(everything_space(), values, "here"); });
}

TEST(Config, follows_the_order_of_the_space) {
  const Config config =
      make_config(everything_space(), {{"BLOCK", std::int64_t{32}}, {"LOAD_MODE", "late"}, {"SPLIT", kTwo}}, "");
  EXPECT_EQ(to_string(config), "SPLIT=2 LOAD_MODE=late BLOCK=32");
}

TEST(Config, must_be_complete_and_known) {
  EXPECT_THAT(error_of({{"SPLIT", kTwo}, {"LOAD_MODE", "late"}}), StartsWith("here: a value for BLOCK is missing"));
  EXPECT_THAT(error_of({{"SPLIT", kTwo}, {"SPLITS", kTwo}}),
              HasSubstr("no tunable \"SPLITS\" (did you mean \"SPLIT\"?)"));
  EXPECT_THAT(error_of({{"SPLIT", std::int64_t{3}}}),
              HasSubstr("SPLIT=3 is not in the space; the values of SPLIT are 1, 2, 4"));
  EXPECT_THAT(error_of({{"SPLIT", kTwo}, {"SPLIT", kTwo}}), HasSubstr("SPLIT is given twice"));
}

TEST(Config, an_integer_is_not_the_word_of_its_digits) {
  EXPECT_THAT(error_of({{"SPLIT", "2"}}), HasSubstr("SPLIT=2 is not in the space"));
}

TEST(Config, parses_options) {
  const Space space = everything_space();
  const Assignment expected{{"LOAD_MODE", "late"}, {"SPLIT", kTwo}};
  EXPECT_EQ(parse_tunables(space, {"LOAD_MODE=late", "SPLIT=2"}), expected);
  EXPECT_EQ(parse_traits(space, {"WEIGHT=none"}), (Assignment{{"WEIGHT", "none"}}));
  EXPECT_TRUE(parse_tunables(space, {}).empty());
}

TEST(Config, names_the_option_that_does_not_parse) {
  const Space space = everything_space();
  const auto error = [&](const std::vector<std::string>& texts) {
    return message_of([&] { (void)parse_tunables(space, texts); });
  };
  EXPECT_EQ(error({"SPLIT"}), "--fix SPLIT: must be NAME=VALUE");
  EXPECT_THAT(error({"split=2"}), HasSubstr("did you mean \"SPLIT\"?"));
  EXPECT_THAT(error({"SPLIT=2x"}), HasSubstr("SPLIT=2x is not in the space"));
  EXPECT_THAT(error({"SPLIT="}), HasSubstr("SPLIT= is not in the space"));
  EXPECT_THAT(error({"SPLIT=99999999999999999999"}), HasSubstr("is not in the space"));
  EXPECT_THAT(error({"SPLIT=1", "SPLIT=2"}), HasSubstr("SPLIT is given twice"));
  EXPECT_THAT(message_of([&] { (void)parse_traits(space, {"WEIGHT=all"}); }), StartsWith("--trait: WEIGHT=all"));
}

TEST(Config, lists_all_configurations_in_lexicographic_order) {
  const std::vector<Config> configs = all_configs(everything_space(), {});
  ASSERT_EQ(configs.size(), 12U);
  EXPECT_EQ(to_string(configs[0]), "SPLIT=1 LOAD_MODE=early BLOCK=32");
  EXPECT_EQ(to_string(configs[1]), "SPLIT=1 LOAD_MODE=early BLOCK=64");
  EXPECT_EQ(to_string(configs[2]), "SPLIT=1 LOAD_MODE=late BLOCK=32");
  EXPECT_EQ(to_string(configs[4]), "SPLIT=2 LOAD_MODE=early BLOCK=32");
  EXPECT_EQ(to_string(configs[11]), "SPLIT=4 LOAD_MODE=late BLOCK=64");
}

TEST(Config, a_space_too_large_to_list_says_so_instead_of_filling_the_memory) {
  Space space = everything_space();
  for (const char* name : {"A", "B", "C"}) {
    space.tunables.push_back({name, {}, ""});
    for (std::int64_t value = 0; value < 100; ++value) space.tunables.back().values.emplace_back(value);
  }
  EXPECT_THAT(message_of([&] { (void)all_configs(space, {}); }),
              AllOf(HasSubstr("/tunables: more than the two million"), HasSubstr("--fix")));
  EXPECT_EQ(all_configs(space, {{"A", std::int64_t{1}}, {"B", std::int64_t{1}}}).size(), 1200U);
}

TEST(Config, holds_fixed_tunables) {
  const std::vector<Config> configs = all_configs(everything_space(), {{"BLOCK", std::int64_t{64}}, {"SPLIT", kTwo}});
  ASSERT_EQ(configs.size(), 2U);
  EXPECT_EQ(to_string(configs[1]), "SPLIT=2 LOAD_MODE=late BLOCK=64");
  EXPECT_THAT(message_of([] {
                (void)all_configs(everything_space(), {{"BLOCK", std::int64_t{65}}});
              }),
              StartsWith("--fix: BLOCK=65"));
}

}  // namespace
}  // namespace hiptune
