#include "session/precheck_memory.hpp"

#include <gtest/gtest.h>

#include "session_bench.hpp"

namespace hiptune::test {
namespace {

class Memory : public testing::Test {
 protected:
  [[nodiscard]] std::string key(const Kernel& kernel, const std::vector<std::int64_t>& dimensions, const Target& target,
                                const std::string& compiler = "g++ 12") const {
    const Problem problem = make_problem(kernel.space, dimensions, Dtype::f32, {});
    return PrecheckMemory::key_of(kernel, problem, kernel.space.fallback, target, compiler);
  }

  const TemporaryFolder folder_;
  const PrecheckMemory memory_{folder_.path() / "prechecks"};
  const Kernel kernel_ = KernelPath({}, {}).load("rmsnorm");
  Target target_;
};

TEST_F(Memory, keeps_what_passed_and_nothing_else) {
  const std::string one = key(kernel_, {1024, 4096}, target_);
  EXPECT_FALSE(memory_.has_passed(one));
  memory_.remember(one);
  EXPECT_TRUE(memory_.has_passed(one));
  EXPECT_TRUE(PrecheckMemory(folder_.path() / "prechecks").has_passed(one)) << "by another process too";
  EXPECT_FALSE(memory_.has_passed(key(kernel_, {1024, 4100}, target_)));
}

TEST_F(Memory, knows_by_all_that_a_verdict_depends_on) {
  const std::string one = key(kernel_, {1024, 4096}, target_);
  EXPECT_EQ(key(kernel_, {7, 4096}, target_), one) << "rows are the check's own";
  Kernel changed = kernel_;
  changed.source.text += "\nint more;\n";
  EXPECT_NE(key(changed, {1024, 4096}, target_), one);
  changed = kernel_;
  changed.source.text += "\n// a comment\n";
  EXPECT_EQ(key(changed, {1024, 4096}, target_), one);
  changed.space.fallback[1].second = std::int64_t{64};
  EXPECT_NE(key(changed, {1024, 4096}, target_), one) << "another configuration";
  Target wide = target_;
  wide.facts.wave_size = 64;
  EXPECT_NE(key(kernel_, {1024, 4096}, wide), one);
  EXPECT_NE(key(kernel_, {1024, 4096}, target_, "g++ 13"), one);
}

TEST_F(Memory, does_not_trust_a_damaged_file_nor_need_a_folder_that_can_be_written) {
  const std::string one = key(kernel_, {1024, 4096}, target_);
  memory_.remember(one);
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "prechecks"))
    std::ofstream(file.path()) << "something else";
  EXPECT_FALSE(memory_.has_passed(one));
  const PrecheckMemory nowhere("/proc/no/such/folder");
  EXPECT_NO_THROW(nowhere.remember(one));
  EXPECT_FALSE(nowhere.has_passed(one));
}

}  // namespace
}  // namespace hiptune::test
