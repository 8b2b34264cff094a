#include <gmock/gmock.h>

#include "cache/store.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

std::string folder_of(const std::string& architecture, const std::string& name) {
  Target target;
  target.architecture = architecture;
  target.name = name;
  return cache_key(target, "rmsnorm").device;
}

TEST(CacheKey, is_readable) {
  EXPECT_EQ(folder_of("x86_64-wave32", "Intel(R) Xeon(R) Processor"), "x86_64-wave32-Intel-R-Xeon-R-Processor");
  EXPECT_EQ(folder_of("x86_64-wave64", "Intel(R) Core(TM) i7-8700K CPU @ 3.20GHz"),
            "x86_64-wave64-Intel-R-Core-TM-i7-8700K-CPU-3.20GHz");
  EXPECT_EQ(folder_of("gfx90a:sramecc+:xnack-", "AMD Instinct MI210"), "gfx90a-sramecc+-xnack--AMD-Instinct-MI210");
  EXPECT_EQ(folder_of("sm_90", "NVIDIA H200"), "sm_90-NVIDIA-H200");
}

TEST(CacheKey, tells_features_apart) {
  EXPECT_NE(folder_of("gfx90a:xnack-", "AMD"), folder_of("gfx90a:xnack+", "AMD"));
  EXPECT_NE(folder_of("gfx90a:xnack-", ""), folder_of("gfx90a", ""));
}

TEST(CacheKey, is_always_one_safe_path_component) {
  for (const auto* name : {"", ".", "..", "/", "../../etc/passwd", "a/b", "\n", "\xc3\xa9", "-rf", "~", "a\\b"}) {
    for (const auto* architecture : {"", ".", "..", "/", "gfx90a"}) {
      const auto folder = folder_of(architecture, name);
      EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(folder.at(0)))) << folder;
      EXPECT_EQ(folder.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-"),
                std::string::npos)
          << folder;
    }
  }
}

TEST(CacheKey, gets_a_hash_where_a_name_loses_more_than_separators) {
  EXPECT_NE(folder_of("gfx", "a/b"), folder_of("gfx", "a\\b"));
  EXPECT_NE(folder_of("gfx", "a/b"), folder_of("gfx", "a b"));
  EXPECT_THAT(folder_of("gfx", "a/b"), testing::MatchesRegex("gfx-a-b-[0-9a-f]{8}"));
}

TEST(CacheKey, bounds_long_names_and_keeps_them_apart) {
  const std::string name(300, 'x');
  EXPECT_EQ(folder_of("gfx", name).size(), 100U);
  EXPECT_NE(folder_of("gfx", name + "1"), folder_of("gfx", name + "2"));
}

TEST(CacheKey, refuses_a_kernel_that_is_no_file_name) {
  for (const auto* kernel : {"", ".", "..", "../rmsnorm", "a/b", ".hidden", "a b"}) {
    EXPECT_EQ(made_up::error_of([&] { static_cast<void>(cache_key(made_up::target(), kernel)); }).kind(),
              ErrorKind::bad_input);
  }
}

}  // namespace
}  // namespace hiptune
