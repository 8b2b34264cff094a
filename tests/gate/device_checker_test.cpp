#include "gate/device_checker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gate/comparison.hpp"
#include "gate_bench.hpp"
#include "hiptune/error.hpp"
#include "present_devices.hpp"

namespace hiptune::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::byte kAround{0xA5};

// A buffer on a device: guard of 64 bytes | rows with gaps of 3 elements | guard.
class Checked : public testing::TestWithParam<std::string> {
 protected:
  void lay_out(std::int64_t rows, std::int64_t cols, Dtype type) {
    const std::size_t payload = static_cast<std::size_t>(((rows - 1) * (cols + 3) + cols)) * size_of(type);
    layout_ = {{rows, cols, type}, cols + 3, 64, (64 + payload + 64) / 8 * 8};
    memory_ = DeviceMemory(*bench_.device, layout_.bytes);
    checker_.paint(memory_.data(), layout_, nullptr, {kAround, std::byte{0x11}});
  }

  // Of an element's place, in bytes.
  [[nodiscard]] std::size_t offset(std::int64_t element) const {
    return layout_.offset(element / layout_.shape.cols, element % layout_.shape.cols);
  }

  [[nodiscard]] std::vector<std::byte> image() const {
    std::vector<std::byte> image(layout_.bytes);
    bench_.device->copy_out(image.data(), memory_.data(), image.size(), nullptr);
    bench_.device->synchronize(nullptr);
    return image;
  }

  [[nodiscard]] DeviceMemory on_device(const void* data, std::size_t bytes) const {
    DeviceMemory memory(*bench_.device, bytes);
    bench_.device->copy_in(memory.data(), data, bytes, nullptr);
    bench_.device->synchronize(nullptr);
    return memory;
  }

  void put(const std::vector<std::byte>& image) {
    bench_.device->copy_in(memory_.data(), image.data(), image.size(), nullptr);
    bench_.device->synchronize(nullptr);
  }

  void put_byte(std::size_t at, std::byte value) {
    std::vector<std::byte> changed = image();
    changed[at] = value;
    put(changed);
  }

  void put_values(const std::vector<double>& values) {
    std::vector<std::byte> changed = image();
    for (std::size_t i = 0; i < values.size(); ++i)
      store_from_double(changed.data() + offset(static_cast<std::int64_t>(i)), layout_.shape.type, values[i]);
    put(changed);
  }

  [[nodiscard]] Finding inspect(const std::vector<double>& oracle, const Limit& limit) {
    const DeviceMemory right = on_device(oracle.data(), oracle.size() * sizeof(double));
    return checker_.inspect(memory_.data(), layout_, {.oracle = right.data(), .around = kAround, .limit = limit});
  }

  // The same comparison by the CPU.
  void expect_as_on_host(const std::vector<double>& oracle, const Limit& limit) {
    const Finding found = inspect(oracle, limit);
    const Comparison expected = compare(layout_, image(), oracle, limit);
    EXPECT_EQ(found.absolute, expected.errors.absolute);
    EXPECT_DOUBLE_EQ(found.relative, expected.errors.relative);
    EXPECT_DOUBLE_EQ(found.in_limits, expected.errors.in_limits);
    EXPECT_EQ(found.worst, expected.worst);
  }

  GateBench bench_{GetParam()};
  DeviceChecker checker_{*bench_.device, *bench_.compiler, shipped_kernel("copy").device_layer};
  BufferLayout layout_;
  DeviceMemory memory_;
};

TEST_P(Checked, paints_elements_and_surroundings) {
  lay_out(3, 5, Dtype::f32);
  const std::vector<std::byte> painted = image();
  std::size_t elements = 0;
  for (const std::byte byte : painted) {
    elements += byte == std::byte{0x11};
    EXPECT_TRUE(byte == std::byte{0x11} || byte == kAround);
  }
  EXPECT_EQ(elements, 3u * 5 * 4);
  for (std::int64_t element : {0, 4, 5, 14}) EXPECT_EQ(painted[offset(element)], std::byte{0x11}) << element;
}

TEST_P(Checked, paints_the_elements_of_a_source_alone) {
  for (const Dtype type : {Dtype::f64, Dtype::f16}) {
    lay_out(3, 5, type);
    const auto elements = static_cast<std::ptrdiff_t>(3 * 5 * size_of(type));
    const std::vector<std::byte> source(layout_.bytes, std::byte{0x33});
    const DeviceMemory there = on_device(source.data(), source.size());
    checker_.paint(memory_.data(), layout_, there.data(), {kAround, std::byte{0x11}});
    const std::vector<std::byte> painted = image();
    EXPECT_EQ(std::ranges::count(painted, std::byte{0x33}), elements);
    EXPECT_EQ(std::ranges::count(painted, kAround), static_cast<std::ptrdiff_t>(layout_.bytes) - elements);
  }
}

TEST_P(Checked, compares_as_the_cpu_does) {
  for (const Dtype type : {Dtype::f32, Dtype::f64, Dtype::i32, Dtype::i64, Dtype::f16, Dtype::bf16}) {
    lay_out(37, 211, type);
    std::vector<double> values, oracle;
    for (int i = 0; i < 37 * 211; ++i) {
      oracle.push_back(is_floating(type) ? std::sin(i) : i % 100);
      values.push_back(is_floating(type) ? std::sin(i) * (1 + 1e-2 * std::cos(3.0 * i)) : i % 100 + (i == 4711));
    }
    put_values(values);
    for (const Limit& limit : {Limit{0, 0}, Limit{1e-5, 0}, Limit{1e-5, 1e-3}, Limit{10, 0.1}})
      expect_as_on_host(oracle, limit);
  }
}

TEST_P(Checked, decodes_every_number_of_16_bits_as_the_cpu_does) {
  for (const Dtype type : {Dtype::f16, Dtype::bf16}) {
    lay_out(256, 256, type);
    std::vector<std::byte> changed = image();
    std::vector<double> oracle;
    for (std::int64_t pattern = 0; pattern < 0x10000; ++pattern) {
      const auto bits = static_cast<std::uint16_t>(pattern);
      std::memcpy(changed.data() + offset(pattern), &bits, sizeof bits);
      oracle.push_back(load_as_double(&bits, type));
    }
    put(changed);
    EXPECT_LE(inspect(oracle, {0, 0}).in_limits, 0) << to_string(type) << ": element " << inspect(oracle, {0, 0}).worst;
    for (const std::size_t pattern : {0x0001u, 0x3C00u, 0x7C00u, 0x7F80u, 0x8001u, 0xFFFFu}) {
      std::vector<double> other = oracle;
      other[pattern] = std::isfinite(oracle[pattern]) ? std::nextafter(oracle[pattern], kInfinity) : 0;
      EXPECT_GT(inspect(other, {0, 0}).in_limits, 1) << to_string(type) << " " << pattern;
    }
  }
}

TEST_P(Checked, passes_nothing_that_is_not_finite_unless_it_is_the_same) {
  for (const Dtype type : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    lay_out(1, 2, type);
    for (const double value : {0.0, 1.0, kNan, kInfinity, -kInfinity})
      for (const double oracle : {0.0, 1.0, kNan, kInfinity, -kInfinity}) {
        put_values({1, value});
        expect_as_on_host({1, oracle}, {0.25, 0.25});
        const bool same = std::isnan(oracle) ? std::isnan(value) : value == oracle;
        EXPECT_EQ(inspect({1, oracle}, {0.25, 0.25}).in_limits <= 1, same) << value << " for " << oracle;
      }
  }
}

TEST_P(Checked, finds_each_byte_around_the_elements_that_is_changed) {
  for (const Dtype type : {Dtype::f32, Dtype::f16}) {
    const std::size_t size = size_of(type);
    lay_out(2, 3, type);
    const std::vector<double> values(6, 1);
    put_values(values);
    EXPECT_EQ(inspect(values, {}).damaged, -1);
    for (const std::size_t byte :
         {std::size_t{0}, std::size_t{63}, offset(2) + size, offset(3) - 1, offset(5) + size, layout_.bytes - 1}) {
      put_byte(byte, std::byte{0x5A});
      EXPECT_EQ(inspect(values, {}).damaged, static_cast<std::int64_t>(byte / size)) << byte;
      put_byte(byte, kAround);
    }
  }
}

TEST_P(Checked, finds_a_changed_input_and_a_result_of_an_earlier_run) {
  lay_out(5, 301, Dtype::f32);
  const std::vector<std::byte> before = image();
  const DeviceMemory source = on_device(before.data(), before.size());
  const auto found = [&] {
    return checker_.inspect(memory_.data(), layout_,
                            {.source = source.data(), .earlier = source.data(), .around = kAround});
  };
  EXPECT_EQ(found().modified, -1);
  EXPECT_EQ(found().other, -1);
  put_byte(offset(1204), std::byte{0x12});
  put_byte(offset(1300), std::byte{0x12});
  EXPECT_EQ(found().modified, 1204);
  EXPECT_EQ(found().other, 1204);
}

class CheckerFor : public testing::TestWithParam<const char*> {};

TEST_P(CheckerFor, compiles) {
  const std::string architecture = GetParam();
  std::unique_ptr<Compiler> compiler;
  try {
    compiler = open_compiler(architecture.starts_with("gfx") ? "amd" : "nvidia", {});
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  Target target;
  target.architecture = architecture;
  target.facts = compiler->facts(architecture);
  EXPECT_NO_THROW((void)compile_checker(target, *compiler, shipped_kernel("copy").device_layer));
}

INSTANTIATE_TEST_SUITE_P(Architectures, CheckerFor, testing::Values("gfx906", "gfx90a", "gfx1030", "sm_90"));

INSTANTIATE_TEST_SUITE_P(Devices, Checked, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
