#include "gate/planted_faults.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "gate/inputs.hpp"

namespace hiptune {
namespace {

const std::string kWrongValue = "the oracle says";

// The first buffer of that kind that has memory and an element.
std::optional<std::size_t> find_buffer(const AfterLaunch& run, bool is_input) {
  const std::vector<BufferLayout>& layouts = run.gate_case.layouts;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const bool fits = is_input ? layouts[i].buffer.is_constant() : layouts[i].buffer.has_results();
    if (fits && layouts[i].shape.elements() > 0) return i;
  }
  return std::nullopt;
}

// Some bytes of a buffer, from one that is counted from element [0, 0] on.
class Bytes {
 public:
  Bytes(const AfterLaunch& run, std::size_t buffer, std::ptrdiff_t from, std::size_t count)
      : Bytes(run.device, static_cast<std::byte*>(run.buffers[buffer]) + from, count) {}
  Bytes(Device& device, std::byte* place, std::size_t count) : device_(device), place_(place), bytes_(count) {
    device_.copy_out(bytes_.data(), place_, count, nullptr);
    device_.synchronize(nullptr);
  }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }
  void write() {
    device_.copy_in(place_, bytes_.data(), bytes_.size(), nullptr);
    device_.synchronize(nullptr);
  }
  void flip_lowest_bit() {
    bytes_.front() ^= std::byte{1};
    write();
  }

 private:
  Device& device_;
  std::byte* place_;
  std::vector<std::byte> bytes_;
};

std::ptrdiff_t offset_of(const BufferLayout& layout, std::int64_t row, std::int64_t col) {
  return static_cast<std::ptrdiff_t>(row * layout.stride + col) *
         static_cast<std::ptrdiff_t>(size_of(layout.shape.type));
}

Bytes last_element(const AfterLaunch& run, std::size_t buffer) {
  const BufferLayout& layout = run.gate_case.layouts[buffer];
  return {run, buffer, offset_of(layout, layout.shape.rows - 1, layout.shape.cols - 1), size_of(layout.shape.type)};
}

Bytes row_of(const AfterLaunch& run, std::size_t buffer, std::int64_t row) {
  const BufferLayout& layout = run.gate_case.layouts[buffer];
  return {run, buffer, offset_of(layout, row, 0), layout.row_bytes()};
}

double limit_at(const AfterLaunch& run, double value) { return run.limit.atol + run.limit.rtol * std::abs(value); }

bool put_last_element(const AfterLaunch& run, const std::function<double(double)>& changed) {
  const auto output = find_buffer(run, false);
  if (!output) return false;
  const Dtype type = run.gate_case.layouts[*output].shape.type;
  Bytes element = last_element(run, *output);
  const std::vector<std::byte> before = element.bytes();
  store_from_double(element.bytes().data(), type, changed(load_as_double(before.data(), type)));
  if (element.bytes() == before) element.bytes().front() ^= std::byte{1};  // where there is no tolerance
  element.write();
  return true;
}

// The variant's own error is up to one limit, so that two are left.
bool off_by_little(const AfterLaunch& run) {
  return put_last_element(run, [&](double value) { return value + 3 * limit_at(run, value); });
}

bool infinite(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output || !is_floating(run.gate_case.layouts[*output].shape.type)) return false;
  return put_last_element(run, [](double) { return std::numeric_limits<double>::infinity(); });
}

bool not_a_number(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output || !is_floating(run.gate_case.layouts[*output].shape.type)) return false;
  return put_last_element(run, [](double) { return std::numeric_limits<double>::quiet_NaN(); });
}

bool never_written(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output) return false;
  Bytes element = last_element(run, *output);
  const Fill fill = fill_of(run.gate_case.layouts[*output].buffer, *output, run.poison);
  std::ranges::fill(element.bytes(), fill.element);
  element.write();
  return true;
}

bool another_row(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output || run.gate_case.layouts[*output].shape.rows < 2) return false;
  Bytes first = row_of(run, *output, 0), last = row_of(run, *output, run.gate_case.layouts[*output].shape.rows - 1);
  if (first.bytes() == last.bytes()) return false;
  last.bytes() = first.bytes();
  last.write();
  return true;
}

// As if a sum had been kept in 16 bits; where the tolerance allows for that, it is no fault.
bool short_mantissa(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output || run.gate_case.layouts[*output].shape.type != Dtype::f32) return false;
  Bytes row = row_of(run, *output, run.gate_case.layouts[*output].shape.rows - 1);
  bool is_fault = false;
  for (std::size_t i = 0; i < row.bytes().size(); i += sizeof(float)) {
    const double before = load_as_double(&row.bytes()[i], Dtype::f32);
    row.bytes()[i] = row.bytes()[i + 1] = std::byte{0};  // little-endian: the low half
    const double after = load_as_double(&row.bytes()[i], Dtype::f32);
    is_fault = is_fault || std::abs(after - before) > 3 * limit_at(run, before);
  }
  if (is_fault) row.write();
  return is_fault;
}

bool behind_output(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output) return false;
  const BufferLayout& layout = run.gate_case.layouts[*output];
  Bytes(run, *output, offset_of(layout, layout.shape.rows - 1, layout.shape.cols), 1).flip_lowest_bit();
  return true;
}

bool before_output(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output) return false;
  Bytes(run, *output, -1, 1).flip_lowest_bit();
  return true;
}

bool in_gap(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output) return false;
  const BufferLayout& layout = run.gate_case.layouts[*output];
  if (layout.shape.rows < 2 || layout.stride == layout.shape.cols) return false;
  Bytes(run, *output, offset_of(layout, 0, layout.shape.cols), 1).flip_lowest_bit();
  return true;
}

bool input_modified(const AfterLaunch& run) {
  const auto input = find_buffer(run, true);
  if (!input) return false;
  last_element(run, *input).flip_lowest_bit();
  return true;
}

bool behind_workspace(const AfterLaunch& run) {
  if (run.workspaces.empty()) return false;
  Bytes(run.device, static_cast<std::byte*>(run.workspaces[0]) + run.workspace_bytes[0], 1).flip_lowest_bit();
  return true;
}

bool other_in_second_run(const AfterLaunch& run) {
  const auto output = find_buffer(run, false);
  if (!output || !run.gate_case.run_twice) return false;
  if (run.is_second_run) last_element(run, *output).flip_lowest_bit();
  return true;
}

bool nothing(const AfterLaunch& run) { return find_buffer(run, false).has_value(); }

}  // namespace

const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> faults{
      {"nothing is launched", kWrongValue, true, nothing},
      {"one element is off by little more than its limit", kWrongValue, false, off_by_little},
      {"one element is NaN", kWrongValue, false, not_a_number},
      {"one element is infinite", kWrongValue, false, infinite},
      {"one element is never written", kWrongValue, false, never_written},
      {"a row holds another row's results", kWrongValue, false, another_row},
      {"a row is rounded to bfloat16", kWrongValue, false, short_mantissa},
      {"a byte behind an output is written", "past its end", false, behind_output},
      {"a byte before an output is written", "before its first element", false, before_output},
      {"a byte between two rows is written", "in the gap after row 0", false, in_gap},
      {"an input is modified in one bit", "an input was modified", false, input_modified},
      {"a byte behind a workspace is written", "outside a workspace", false, behind_workspace},
      {"a second run differs in one bit", "in a second run only", false, other_in_second_run},
  };
  return faults;
}

}  // namespace hiptune
