#include <utility>

#include "gate/far_buffers.hpp"
#include "gate/judge.hpp"
#include "gate/judge_words.hpp"

namespace hiptune {
namespace {

// The buffers of a case, as its images lie or far apart.
class NearBuffers {
 public:
  NearBuffers(Device& device, const std::vector<BufferLayout>& images) : device_(device), set_(device, images) {}
  [[nodiscard]] std::vector<void*> addresses() const { return set_.addresses(); }
  [[nodiscard]] const std::vector<BufferLayout>& layouts() const { return set_.layouts(); }
  void upload(const Images& images) { hiptune::upload(device_, set_, images); }
  [[nodiscard]] Images download() const { return hiptune::download(device_, set_); }

 private:
  Device& device_;
  BufferSet set_;
};

template <class Buffers>
class HostJudge final : public Judge {
 public:
  HostJudge(Device& device, const GateCase& gate_case, const Limit& limit)
      : case_(gate_case), limit_(limit), buffers_(device, gate_case.layouts) {}

  [[nodiscard]] std::vector<void*> addresses() const override { return buffers_.addresses(); }
  [[nodiscard]] const std::vector<BufferLayout>& layouts() const override { return buffers_.layouts(); }

  void set_up(std::byte poison) override {
    before_ = poison == kPoisonByte ? case_.images : repoisoned(case_.layouts, case_.images, poison);
    buffers_.upload(before_);
  }

  void judge(GateReport& report) override {
    const Images earlier = std::exchange(after_, buffers_.download());
    std::size_t output = 0;
    for (std::size_t i = 0; i < case_.layouts.size() && !report.failure; ++i) {
      const ProblemBuffer& buffer = case_.layouts[i].buffer;
      if (const auto place = damaged_surroundings(case_.layouts[i], before_[i], after_[i]))
        report.failure = buffer.name + ": wrote " + *place;
      else if (buffer.is_constant() && after_[i] != before_[i])
        report.failure = buffer.name + kInputModified;
      else if (buffer.has_results())
        judge_output(i, case_.oracle[output++], report);
    }
    for (std::size_t i = 0; i < case_.layouts.size() && !report.failure && !earlier.empty(); ++i)
      if (const BufferLayout& layout = case_.layouts[i];
          layout.buffer.has_results() && !same_elements(layout, earlier[i], after_[i]))
        report.failure = layout.buffer.name + kOtherResults;
  }

 private:
  void judge_output(std::size_t buffer, std::span<const double> oracle, GateReport& report) const {
    const BufferLayout& layout = case_.layouts[buffer];
    Comparison comparison = compare(layout, after_[buffer], oracle, limit_);
    const std::string& name = layout.buffer.name;
    if (comparison.worst >= 0) comparison.errors.worst = name + place_of_element(layout.shape, comparison.worst);
    report.errors.merge(comparison.errors);
    if (!comparison.failure) return;
    const std::size_t offset =
        layout.offset(comparison.worst / layout.shape.cols, comparison.worst % layout.shape.cols);
    report.failure = name + *comparison.failure;
    if (is_poison(std::span(after_[buffer]).subspan(offset, size_of(layout.shape.type))))
      *report.failure += kNeverWritten;
  }

  const GateCase& case_;
  Limit limit_;
  Buffers buffers_;
  Images before_, after_;
};

}  // namespace

std::unique_ptr<Judge> host_judge(Device& device, const GateCase& gate_case, const Limit& limit) {
  if (gate_case.rows_far_apart) return std::make_unique<HostJudge<FarBuffers>>(device, gate_case, limit);
  return std::make_unique<HostJudge<NearBuffers>>(device, gate_case, limit);
}

void upload(Device& device, const BufferSet& set, const Images& images) {
  for (std::size_t i = 0; i < images.size(); ++i)
    if (!images[i].empty()) device.copy_in(set.allocation(i), images[i].data(), images[i].size(), nullptr);
  device.synchronize(nullptr);
}

Images download(Device& device, const BufferSet& set) {
  Images images;
  for (std::size_t i = 0; i < set.layouts().size(); ++i) {
    images.emplace_back(set.layouts()[i].bytes);
    if (images.back().empty()) continue;
    device.copy_out(images.back().data(), set.allocation(i), images.back().size(), nullptr);
  }
  device.synchronize(nullptr);
  return images;
}

}  // namespace hiptune
