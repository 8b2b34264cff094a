#include "session/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session_bench.hpp"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Survey, finds_both_devices_and_the_compiler_of_the_cpu) {
  const BackendSurvey survey = survey_backend("host", HIPTUNE_PROGRAM, {});
  ASSERT_EQ(survey.devices.size(), 2u);
  EXPECT_EQ(survey.devices[1].id, "host:wave64");
  EXPECT_TRUE(survey.reasons.empty());
  EXPECT_TRUE(survey.compiler);
}

TEST(Survey, says_why_a_compiler_is_not_there) {
  const BackendSurvey survey = survey_backend("host", HIPTUNE_PROGRAM, {"nonexistent", "/tmp"});
  EXPECT_EQ(survey.devices.size(), 2u);
  EXPECT_FALSE(survey.compiler);
  EXPECT_THAT(survey.no_compiler, HasSubstr("no C++ compiler 'nonexistent'"));
}

TEST(Survey, of_a_vendor_s_library_that_aborts_tells_so_and_still_finds_the_compiler) {
  const test::MadeUpGpu gpu("aborts");
  const BackendSurvey survey = survey_backend("amd", HIPTUNE_PROGRAM, {});
  EXPECT_TRUE(survey.devices.empty());
  EXPECT_THAT(survey.reasons,
              ElementsAre(AllOf(HasSubstr("killed by signal 6 (Aborted)"), HasSubstr("the vendor's last words"))));
  EXPECT_EQ(survey.compiler, "made-up compiler 1");
}

TEST(Survey, finds_a_made_up_gpu) {
  const test::MadeUpGpu gpu;
  const BackendSurvey survey = survey_backend("amd", HIPTUNE_PROGRAM, {});
  ASSERT_EQ(survey.devices.size(), 1u);
  EXPECT_EQ(survey.devices[0].name, "Made-up GPU");
}

}  // namespace
}  // namespace hiptune
