#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "amd/clock.hpp"
#include "device/host/clock.hpp"
#include "device/host/cpu.hpp"
#include "nvidia/clock.hpp"
#include "present_devices.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;

// A folder that stands for one of the system's.
class Clock : public testing::Test {
 protected:
  Clock() { fs::create_directories(root_); }
  ~Clock() override { fs::remove_all(root_); }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  fs::path root_ = fs::temp_directory_path() / ("hiptune-clock-" + std::to_string(::getpid()));
};

using AmdClock = Clock;

TEST_F(AmdClock, is_what_the_shader_clocks_sensor_says) {
  write("0000:c1:00.0/hwmon/hwmon3/freq1_label", "sclk\n");
  write("0000:c1:00.0/hwmon/hwmon3/freq1_input", "1700000000\n");
  write("0000:c1:00.0/pp_dpm_sclk", "0: 500Mhz *\n");
  EXPECT_EQ(amd::clock_mhz("0000:c1:00.0", root_), 1700);
  EXPECT_EQ(amd::clock_mhz("0000:C1:00.0", root_), 1700) << "as some runtimes write it";
  EXPECT_EQ(amd::clock_mhz("0000:c2:00.0", root_), std::nullopt);
}

TEST_F(AmdClock, is_the_active_level_where_there_is_no_such_sensor) {
  write("0000:c1:00.0/pp_dpm_sclk", "0: 500Mhz\n1: 800Mhz *\n2: 1700Mhz\n");
  EXPECT_EQ(amd::clock_mhz("0000:c1:00.0", root_), 800);
  write("0000:c1:00.0/hwmon/hwmon3/freq1_label", "mclk\n");
  write("0000:c1:00.0/hwmon/hwmon3/freq1_input", "1600000000\n");
  EXPECT_EQ(amd::clock_mhz("0000:c1:00.0", root_), 800);
}

TEST_F(AmdClock, is_none_where_the_sensor_sleeps_and_no_level_is_active) {
  write("0000:c1:00.0/hwmon/hwmon3/freq1_input", "0\n");
  EXPECT_EQ(amd::clock_mhz("0000:c1:00.0", root_), std::nullopt);
}

TEST_F(AmdClock, levels_may_have_any_form_that_drivers_gave_them) {
  EXPECT_EQ(amd::active_level_mhz("S: 19Mhz *\n0: 500Mhz\n"), 19) << "asleep";
  EXPECT_EQ(amd::active_level_mhz("1: 1700MHz *"), 1700);
  for (const char* text : {"", "*", "1: 1700Mhz", "1: Mhz *", "1700 *", "1: *\n2: 500Mhz"})
    EXPECT_EQ(amd::active_level_mhz(text), std::nullopt) << text;
}

constexpr const char* kCpuinfo = R"(processor	: 0
model name	: A CPU @ 2.30GHz
cpu MHz		: 2000.000

processor	: 1
cpu MHz		: 3000.500

processor	: 12
cpu MHz		: 4000.000
)";

TEST(HostClock, is_the_mean_over_the_cores_that_may_be_used) {
  EXPECT_EQ(host::listed_clock_mhz(kCpuinfo, std::array{0, 1}), 2500.25);
  EXPECT_EQ(host::listed_clock_mhz(kCpuinfo, std::array{12, 13}), 4000);
  EXPECT_EQ(host::listed_clock_mhz(kCpuinfo, std::array{2}), std::nullopt);
  EXPECT_EQ(host::listed_clock_mhz("processor\t: 0\nBogoMIPS\t: 50.00\n", std::array{0}), std::nullopt) << "ARM";
}

using HostDriverClock = Clock;

TEST_F(HostDriverClock, is_the_mean_over_the_cores_that_it_drives) {
  write("cpu0/cpufreq/scaling_cur_freq", "2000000\n");
  write("cpu2/cpufreq/scaling_cur_freq", "1000000\n");
  EXPECT_EQ(host::driver_clock_mhz(root_, std::array{0, 1, 2}), 1500);
  EXPECT_EQ(host::driver_clock_mhz(root_, std::array{1}), std::nullopt);
}

TEST(HostClock, cores_are_numbered_as_many_as_there_are) {
  EXPECT_EQ(static_cast<int>(host::usable_core_numbers().size()), host::usable_cores());
}

TEST(NvidiaClock, is_none_where_there_is_no_such_gpu) { EXPECT_EQ(nvidia::clock_mhz("ffff:ff:1f.7"), std::nullopt); }

class DeviceClock : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceClock, testing::ValuesIn(test::present_devices()), test::name_of_device);

TEST_P(DeviceClock, is_that_of_a_processor_or_none) {
  const std::unique_ptr<Device> device = open_device(GetParam(), {});
  const std::optional<double> mhz = device->clock_mhz();
  if (!mhz) GTEST_SKIP() << "no clock can be read here";
  EXPECT_GT(*mhz, 10);
  EXPECT_LT(*mhz, 10000);
}

}  // namespace
}  // namespace hiptune
