#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "present_devices.hpp"

// Suites that run on every device there is are built with this test: it says which backends they did without, and why.
namespace hiptune::test {
namespace {

class GpuBackend : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Backends, GpuBackend, testing::Values("amd", "nvidia"),
                         [](const auto& backend) { return backend.param; });

TEST_P(GpuBackend, is_among_the_devices_that_are_tested) {
  std::string reason;
  const auto backend = std::ranges::find(backends(), GetParam(), &Backend::name);
  ASSERT_NE(backend, backends().end());
  const std::vector<std::string> ids = backend->devices({}, reason);
  if (ids.empty()) {
    EXPECT_NE(reason, "");
    GTEST_SKIP() << "no tests on " << GetParam() << ": " << reason;
  }
  EXPECT_THAT(present_devices(), testing::IsSupersetOf(ids));
}

}  // namespace
}  // namespace hiptune::test
