#include "session/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hiptune/error.hpp"
#include "session_bench.hpp"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Survey, finds_both_devices_and_the_compiler_of_the_cpu) {
  const BackendSurvey survey = survey_backend({HIPTUNE_PROGRAM, {}}, "host");
  ASSERT_EQ(survey.devices.size(), 2u);
  EXPECT_EQ(survey.devices[1].id, "host:wave64");
  EXPECT_TRUE(survey.reasons.empty());
  EXPECT_TRUE(survey.compiler);
}

TEST(Survey, says_why_a_compiler_is_not_there) {
  const BackendSurvey survey = survey_backend({HIPTUNE_PROGRAM, {"nonexistent", "/tmp"}}, "host");
  EXPECT_EQ(survey.devices.size(), 2u);
  EXPECT_FALSE(survey.compiler);
  EXPECT_THAT(survey.no_compiler, HasSubstr("no C++ compiler 'nonexistent'"));
}

TEST(Survey, of_a_vendor_s_library_that_aborts_tells_so_and_still_finds_the_compiler) {
  const test::MadeUpGpu gpu("aborts");
  const BackendSurvey survey = survey_backend({HIPTUNE_PROGRAM, {}}, "amd");
  EXPECT_TRUE(survey.devices.empty());
  EXPECT_THAT(survey.reasons,
              ElementsAre(AllOf(HasSubstr("killed by signal 6 (Aborted)"), HasSubstr("the vendor's last words"))));
  EXPECT_EQ(survey.compiler, "made-up compiler 1");
}

TEST(Survey, finds_a_made_up_gpu) {
  const test::MadeUpGpu gpu;
  const BackendSurvey survey = survey_backend({HIPTUNE_PROGRAM, {}}, "amd");
  ASSERT_EQ(survey.devices.size(), 1u);
  EXPECT_EQ(survey.devices[0].name, "Made-up GPU");
}

TEST(Survey, of_two_devices_one_of_which_aborts_still_finds_the_other) {
  const test::MadeUpGpu gpu("second aborts");
  const BackendSurvey survey = survey_backend({HIPTUNE_PROGRAM, {}}, "amd");
  ASSERT_EQ(survey.devices.size(), 1u);
  EXPECT_EQ(survey.devices[0].id, "amd:0");
  EXPECT_THAT(survey.reasons, ElementsAre(AllOf(HasSubstr("amd:1: opening it, the worker was killed by signal 6"),
                                                HasSubstr("the vendor's last words"))));
}

TEST(Survey, resolves_auto_to_the_first_device_and_leaves_other_ids_as_they_are) {
  const test::MadeUpGpu gpu;
  EXPECT_EQ(resolve_device({HIPTUNE_PROGRAM, {}}, "auto"), "amd:0");
  EXPECT_EQ(resolve_device({HIPTUNE_PROGRAM, {}}, "host:wave64"), "host:wave64");
  EXPECT_EQ(target_of({HIPTUNE_PROGRAM, {}}, "auto").name, "Made-up GPU");
}

TEST(Survey, resolves_auto_past_a_vendor_s_library_that_aborts) {
  const test::MadeUpGpu gpu("aborts");
  const std::string id = resolve_device({HIPTUNE_PROGRAM, {}}, "auto");
  EXPECT_TRUE(id == "host" || id == "nvidia:0") << id;
  EXPECT_THROW((void)target_of({HIPTUNE_PROGRAM, {}}, "hsot"), Error);
}

}  // namespace
}  // namespace hiptune
