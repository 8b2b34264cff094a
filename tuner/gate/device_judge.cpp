#include <algorithm>
#include <array>

#include "gate/judge.hpp"
#include "gate/judge_words.hpp"

namespace hiptune {
namespace {

// At least one byte, so that an empty buffer has an address too.
DeviceMemory uploaded(Device& device, const void* data, std::size_t bytes) {
  DeviceMemory memory(device, std::max<std::size_t>(bytes, 1));
  if (bytes > 0) device.copy_in(memory.data(), data, bytes, nullptr);
  return memory;
}

class DeviceJudge final : public Judge {
 public:
  DeviceJudge(Device& device, DeviceChecker& checker, const GateCase& gate_case, const ResidentImages& images,
              const Limit& limit)
      : device_(device),
        checker_(checker),
        case_(gate_case),
        images_(images),
        limit_(limit),
        buffers_(device, gate_case.layouts),
        earlier_(gate_case.layouts.size()) {}

  [[nodiscard]] std::vector<void*> addresses() const override { return buffers_.addresses(); }
  [[nodiscard]] const std::vector<BufferLayout>& layouts() const override { return case_.layouts; }

  void set_up(std::byte poison) override {
    if (was_judged_) keep_outputs();
    poison_ = poison;
    for (std::size_t i = 0; i < case_.layouts.size(); ++i)
      if (case_.layouts[i].buffer.has_memory())
        checker_.paint(buffers_.allocation(i), case_.layouts[i], images_.source(i), fill(i));
  }

  void judge(GateReport& report) override {
    std::optional<std::string> other;
    for (std::size_t i = 0; i < case_.layouts.size() && !report.failure; ++i) {
      const ProblemBuffer& buffer = case_.layouts[i].buffer;
      if (!buffer.has_memory()) continue;
      const Finding found = checker_.inspect(buffers_.allocation(i), case_.layouts[i],
                                             {.source = buffer.is_constant() ? images_.source(i) : nullptr,
                                              .oracle = images_.oracle(i),
                                              .earlier = earlier_[i].data(),
                                              .around = fill(i).around,
                                              .limit = limit_});
      judge_buffer(i, found, report);
      if (found.other >= 0 && !other) other = buffer.name + kOtherResults;
    }
    if (!report.failure) report.failure = other;
    was_judged_ = true;
  }

 private:
  [[nodiscard]] Fill fill(std::size_t buffer) const { return fill_of(case_.layouts[buffer].buffer, buffer, poison_); }

  void keep_outputs() {
    for (std::size_t i = 0; i < case_.layouts.size(); ++i) {
      if (images_.oracle(i) == nullptr) continue;
      const std::size_t bytes = case_.layouts[i].bytes;
      if (earlier_[i].data() == nullptr) earlier_[i] = DeviceMemory(device_, bytes);
      device_.copy(earlier_[i].data(), buffers_.allocation(i), bytes, nullptr);
    }
  }

  void judge_buffer(std::size_t buffer, const Finding& found, GateReport& report) const {
    const BufferLayout& layout = case_.layouts[buffer];
    const std::string& name = case_.layouts[buffer].buffer.name;
    if (found.damaged >= 0) {
      const std::size_t offset = static_cast<std::size_t>(found.damaged) * size_of(layout.shape.type);
      report.failure = name + ": wrote " + place_around(layout, offset);
    } else if (found.modified >= 0) {
      report.failure = name + kInputModified;
    } else if (found.worst >= 0) {
      judge_output(buffer, found, report);
    }
  }

  void judge_output(std::size_t buffer, const Finding& found, GateReport& report) const {
    const BufferShape& shape = case_.layouts[buffer].shape;
    const std::string& name = case_.layouts[buffer].buffer.name;
    report.errors.merge(
        {found.absolute, found.relative, found.in_limits, 0, name + place_of_element(shape, found.worst)});
    if (found.in_limits <= 1) return;
    const auto element = element_at(buffer, found.worst);
    report.failure = name + mismatch(shape, found.worst, load_as_double(element.data(), shape.type),
                                     oracle_at(buffer, found.worst), limit_);
    if (is_poison(std::span(element).first(size_of(shape.type)))) *report.failure += kNeverWritten;
  }

  [[nodiscard]] std::array<std::byte, sizeof(double)> element_at(std::size_t buffer, std::int64_t element) const {
    const BufferLayout& layout = case_.layouts[buffer];
    const std::size_t offset = layout.offset(element / layout.shape.cols, element % layout.shape.cols);
    std::array<std::byte, sizeof(double)> bytes{};
    read(bytes.data(), static_cast<const std::byte*>(buffers_.allocation(buffer)) + offset, size_of(layout.shape.type));
    return bytes;
  }

  [[nodiscard]] double oracle_at(std::size_t buffer, std::int64_t element) const {
    double value = 0;
    read(&value, static_cast<const double*>(images_.oracle(buffer)) + element, sizeof(value));
    return value;
  }

  void read(void* to, const void* from, std::size_t bytes) const {
    device_.copy_out(to, from, bytes, nullptr);
    device_.synchronize(nullptr);
  }

  Device& device_;
  DeviceChecker& checker_;
  const GateCase& case_;
  const ResidentImages& images_;
  Limit limit_;
  BufferSet buffers_;
  std::vector<DeviceMemory> earlier_;  // of the run before; empty until there was one
  std::byte poison_{};
  bool was_judged_ = false;
};

}  // namespace

ResidentImages::ResidentImages(Device& device, const GateCase& gate_case) {
  std::size_t output = 0;
  for (std::size_t i = 0; i < gate_case.layouts.size(); ++i) {
    const ProblemBuffer& buffer = gate_case.layouts[i].buffer;
    const Image& image = gate_case.images[i];
    sources_.push_back(buffer.is_filled() ? uploaded(device, image.data(), image.size()) : DeviceMemory());
    oracle_.emplace_back();
    if (!buffer.has_results()) continue;
    const OracleOutput& right = gate_case.oracle[output++];
    oracle_.back() = uploaded(device, right.data(), right.size() * sizeof(double));
  }
  device.synchronize(nullptr);
}

std::unique_ptr<Judge> device_judge(Device& device, DeviceChecker& checker, const GateCase& gate_case,
                                    const ResidentImages& images, const Limit& limit) {
  return std::make_unique<DeviceJudge>(device, checker, gate_case, images, limit);
}

}  // namespace hiptune
