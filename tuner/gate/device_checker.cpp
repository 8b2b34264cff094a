#include "gate/device_checker.hpp"

#include <algorithm>
#include <vector>

#include "gate/device_checker_source.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

constexpr std::int64_t kBlockThreads = 256;
constexpr std::int64_t kMostBlocks = 256;  // enough loads at a time for any GPU's memory, and few findings to read back
constexpr std::int64_t kCellsOfThread = 4;

// A layout as the kernels count: in cells of an element's size.
struct Cells {
  std::int64_t count, first, stride;
  int bytes;

  explicit Cells(const BufferLayout& layout)
      : count(static_cast<std::int64_t>(layout.bytes / size_of(layout.shape.type))),
        first(static_cast<std::int64_t>(layout.first_byte / size_of(layout.shape.type))),
        stride(std::max<std::int64_t>(layout.stride, 1)),
        bytes(static_cast<int>(size_of(layout.shape.type))) {}
};

Geometry geometry_for(const Cells& cells) {
  const std::int64_t wanted = cells.count / (kBlockThreads * kCellsOfThread) + 1;
  Geometry geometry;
  geometry.grid[0] = std::min(wanted, kMostBlocks);
  geometry.block[0] = kBlockThreads;
  return geometry;
}

// Every byte of a cell.
unsigned long long repeated(std::byte byte, int bytes) {
  const unsigned long long all = 0x0101010101010101ULL * std::to_integer<unsigned long long>(byte);
  return bytes == 8 ? all : all & ((1ULL << 8 * bytes) - 1);
}

std::int64_t first_of(std::int64_t one, std::int64_t other) {
  return one < 0 ? other : other < 0 ? one : std::min(one, other);
}

// The worst element of all; among equals the first, so that it does not depend on how threads share the work.
bool is_worse(const Finding& one, const Finding& than) {
  if (one.worst < 0 || than.worst < 0) return one.worst >= 0;
  return one.in_limits > than.in_limits || (one.in_limits == than.in_limits && one.worst < than.worst);
}

void merge(Finding& total, const Finding& one) {
  total.absolute = std::max(total.absolute, one.absolute);
  total.relative = std::max(total.relative, one.relative);
  if (is_worse(one, total)) total.in_limits = one.in_limits, total.worst = one.worst;
  total.damaged = first_of(total.damaged, one.damaged);
  total.modified = first_of(total.modified, one.modified);
  total.other = first_of(total.other, one.other);
}

}  // namespace

CodeObject compile_checker(const Target& target, Compiler& compiler, const SourceFile& device_layer) {
  const SourceFile config{"hiptune_config.h",
                          "#pragma once\nconstexpr int WAVE_SIZE = " + std::to_string(target.facts.wave_size) + ";\n"};
  CompileResult result = compiler.compile({{"hiptune_check.hip", kDeviceCheckerSource},
                                           {config, device_layer},
                                           {"hiptune_paint", "hiptune_inspect"},
                                           target.architecture});
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw failed("the kernels that compare results do not compile for " + target.architecture + ":\n" + failure->log);
  return std::get<CodeObject>(std::move(result));
}

DeviceChecker::DeviceChecker(Device& device, Compiler& compiler, const SourceFile& device_layer)
    : device_(&device),
      module_(device.load(compile_checker(device.target(), compiler, device_layer))),
      paint_(module_->function("hiptune_paint")),
      inspect_(module_->function("hiptune_inspect")),
      findings_(device, static_cast<std::size_t>(kMostBlocks * kBlockThreads) * sizeof(Finding)) {}

void DeviceChecker::paint(void* image, const BufferLayout& layout, const void* source, const Fill& fill) {
  Cells cells(layout);
  BufferShape shape = layout.shape;
  unsigned long long element = repeated(fill.element, cells.bytes), around = repeated(fill.around, cells.bytes);
  void* arguments[] = {&image,      &source,       &cells.count, &cells.first, &shape.rows,
                       &shape.cols, &cells.stride, &cells.bytes, &element,     &around};
  device_->launch(paint_, geometry_for(cells), arguments, nullptr);
}

Finding DeviceChecker::inspect(const void* image, const BufferLayout& layout, const Expected& expected) {
  Cells cells(layout);
  BufferShape shape = layout.shape;
  Expected other = expected;
  void* findings = findings_.data();
  int dtype = static_cast<int>(shape.type);
  unsigned long long around = repeated(expected.around, cells.bytes);
  void* arguments[] = {&image,       &other.source, &other.oracle, &other.earlier,    &findings,
                       &cells.count, &cells.first,  &shape.rows,   &shape.cols,       &cells.stride,
                       &cells.bytes, &dtype,        &around,       &other.limit.atol, &other.limit.rtol};
  const Geometry geometry = geometry_for(cells);
  device_->launch(inspect_, geometry, arguments, nullptr);
  std::vector<Finding> found(static_cast<std::size_t>(geometry.grid[0] * geometry.block[0]));
  device_->copy_out(found.data(), findings, found.size() * sizeof(Finding), nullptr);
  device_->synchronize(nullptr);
  Finding total;
  for (const Finding& one : found) merge(total, one);
  return total;
}

}  // namespace hiptune
