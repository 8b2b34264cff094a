#include "session/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>

#include "session_bench.hpp"

namespace hiptune {
namespace {

class Groups : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text;
  }
  [[nodiscard]] std::optional<double> quota(const std::string& groups) const {
    return quota_of_groups(groups, folder_.path());
  }
  test::TemporaryFolder folder_;
};

TEST_F(Groups, of_version_2_limit_themselves_and_the_groups_within) {
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 1.5);
  EXPECT_EQ(quota("0::/a\n"), 1.5);
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
}

TEST_F(Groups, of_version_1_have_a_file_for_each_number) {
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  write("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/b/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/b/cpu.cfs_period_us", "100000\n");
  write("memory/a/cpu.cfs_quota_us", "1\n");
  write("memory/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("7:memory:/a\n4:cpu,cpuacct:/a\n"), 2.5);
  EXPECT_EQ(quota("4:cpu,cpuacct:/b\n"), std::nullopt);
}

TEST_F(Groups, that_say_nothing_limit_nothing) {
  write("a/cpu.max", "no number\n");
  EXPECT_EQ(quota("0::/a\n"), std::nullopt);
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("nonsense\n"), std::nullopt);
}

TEST(UsableCores, are_no_more_than_the_process_may_run_on) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_GE(usable_cores(), 1U);
  EXPECT_LE(usable_cores(), static_cast<std::size_t>(CPU_COUNT(&all)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usable_cores(), 1U);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
}

}  // namespace
}  // namespace hiptune
