#include "cache/target_json.hpp"

#include <gmock/gmock.h>

#include "made_up.hpp"

namespace hiptune {
namespace {

TEST(TargetJson, reads_back_every_field) {
  auto target = made_up::target();
  target.facts = {64, 163840, 80, 8, 512, 1000, 2000, 4294967295};
  target.memory_bytes = 1LL << 40;
  const auto json = to_json(target);
  const auto again = target_from_json(json);
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.facts.max_threads_per_launch, 4294967295);
  EXPECT_EQ(again.facts.wave_size, 64);
  EXPECT_EQ(again.id, "host:wave32");
  EXPECT_EQ(again.memory_bytes, 1LL << 40);
}

TEST(TargetJson, leaves_out_what_is_unknown_or_unlimited) {
  const auto json = to_json(made_up::target());
  EXPECT_FALSE(json.contains("memory_bytes"));
  EXPECT_FALSE(json.at("facts").contains("max_threads_per_launch"));
  EXPECT_EQ(target_from_json(json).memory_bytes, 0);
}

TEST(TargetJson, names_the_wrong_field) {
  auto json = to_json(made_up::target());
  json["facts"]["lds_bytes"] = -1;
  const auto error = made_up::error_of([&] { static_cast<void>(target_from_json(json)); });
  EXPECT_THAT(error.what(), testing::StartsWith("/facts/lds_bytes: must be an integer from 0"));
}

}  // namespace
}  // namespace hiptune
