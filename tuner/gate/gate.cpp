#include "gate/gate.hpp"

#include <algorithm>
#include <numeric>

#include <spdlog/fmt/fmt.h>

namespace hiptune {
namespace {

// One case of one variant, between upload and verdict.
class CaseRun {
 public:
  CaseRun(const Kernel& kernel, Device& device, const GateCase& gate_case, LoadedPlan& plan, const Config& config)
      : space_(kernel.space),
        device_(device),
        case_(gate_case),
        plan_(plan),
        limit_(tolerance_of(space_, case_.problem, device.target().facts, config)),
        buffers_(device, case_.layouts),
        workspaces_(device, workspace_bytes(space_, case_.problem, device.target().facts, config)) {
    plan_.replan(make_plan(space_, case_.problem, device.target().facts, config, case_.grid_limit));
  }

  GateReport verdict(const Schedule& second) {
    GateReport report;
    report.checks = 1;
    const Images after = run({Schedule::Order::forward, 0, kPoisonByte}, case_.images, report);
    if (!report.failure) judge(case_.images, after, kPoisonByte, report);
    if (!report.failure && case_.run_twice) judge_second_run(after, second, report);
    if (report.failure) report.failure = case_.name + ": " + *report.failure;
    return report;
  }

 private:
  // The buffers' images afterwards.
  Images run(const Schedule& schedule, const Images& before, GateReport& report) {
    upload(device_, buffers_, before);
    workspaces_.poison(schedule.unwritten_lds, nullptr);
    const ArgumentList arguments(
        space_, case_.problem,
        {buffers_.addresses(), strides_of(space_, case_.layouts), case_.scalars, workspaces_.addresses()});
    device_.set_schedule(schedule);
    try {
      plan_.launch(batch_values(space_, case_.problem), arguments.pointers(), nullptr);
      device_.synchronize(nullptr);
    } catch (const KernelFault& fault) {
      report.failure = fault.what();
    }
    device_.set_schedule({});
    return download(device_, buffers_);
  }

  void judge(const Images& before, const Images& after, std::byte poison, GateReport& report) const {
    std::size_t output = 0;
    const auto declared = space_.buffers();
    for (std::size_t i = 0; i < declared.size() && !report.failure; ++i) {
      const std::string& name = declared[i]->name;
      if (const auto place = damaged_surroundings(case_.layouts[i], before[i], after[i]))
        report.failure = name + ": wrote " + *place;
      else if (declared[i]->role == Role::in && after[i] != before[i])
        report.failure = name + ": an input was modified";
      else if (declared[i]->role != Role::in)
        judge_output(i, compare(case_.layouts[i], after[i], case_.oracle[output++], limit_), after[i], report);
    }
    if (!report.failure && !workspaces_.guards_intact(poison, nullptr)) report.failure = "wrote outside a workspace";
  }

  void judge_output(std::size_t buffer, const Comparison& comparison, const std::vector<std::byte>& after,
                    GateReport& report) const {
    report.errors.merge(comparison.errors);
    if (!comparison.failure) return;
    report.failure = space_.buffers()[buffer]->name + *comparison.failure;
    if (!is_poison(after, *comparison.worst_offset, size_of(case_.layouts[buffer].shape.type))) return;
    *report.failure += "; it was never written, or made from a workspace or LDS that was not";
    if (case_.grid_limit > 0)
      *report.failure += fmt::format("; in this case loops over batch rows get at most {} blocks", case_.grid_limit);
  }

  static bool is_poison(const std::vector<std::byte>& image, std::size_t offset, std::size_t bytes) {
    const auto first = image.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(bytes), [](std::byte byte) {
      return byte == kPoisonByte || byte == kLargePoisonByte || byte == kNegativePoisonByte;
    });
  }

  // Other poison, another order of blocks and threads: the results must be right again, and the same.
  void judge_second_run(const Images& first, const Schedule& schedule, GateReport& report) {
    const std::byte poison = schedule.unwritten_lds;
    const Images before = repoisoned(space_, case_.layouts, case_.images, poison);
    const Images second = run(schedule, before, report);
    if (!report.failure) judge(before, second, poison, report);
    const auto declared = space_.buffers();
    for (std::size_t i = 0; i < declared.size() && !report.failure; ++i)
      if (declared[i]->role != Role::in && !same_elements(case_.layouts[i], first[i], second[i]))
        report.failure = declared[i]->name + ": other results";
    if (report.failure)
      *report.failure +=
          ", in a second run only (a race, or LDS, a workspace or an output read before it was written, or something "
          "read beyond its end?)";
  }

  const Space& space_;
  Device& device_;
  const GateCase& case_;
  LoadedPlan& plan_;
  Limit limit_;
  BufferSet buffers_;
  WorkspaceSet workspaces_;
};

std::vector<std::size_t> smallest_first(const std::vector<GateCase>& cases) {
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return total_bytes(cases[i].layouts); });
  return order;
}

}  // namespace

void upload(Device& device, const BufferSet& set, const Images& images) {
  for (std::size_t i = 0; i < images.size(); ++i)
    device.copy_in(set.allocation(i), images[i].data(), images[i].size(), nullptr);
  device.synchronize(nullptr);
}

Images download(Device& device, const BufferSet& set) {
  Images images;
  for (std::size_t i = 0; i < set.layouts().size(); ++i) {
    images.emplace_back(set.layouts()[i].bytes);
    device.copy_out(images.back().data(), set.allocation(i), images.back().size(), nullptr);
  }
  device.synchronize(nullptr);
  return images;
}

Gate::Gate(const Kernel& kernel, Device& device, std::vector<GateCase> cases)
    : kernel_(&kernel), device_(&device), cases_(std::move(cases)), order_(smallest_first(cases_)) {}

GateReport Gate::check_case(LoadedPlan& plan, const Config& config, std::size_t index) const {
  const auto order = index % 2 == 0 ? Schedule::Order::backward : Schedule::Order::shuffled;
  const std::byte poison = index / 2 % 2 == 0 ? kLargePoisonByte : kNegativePoisonByte;
  return CaseRun(*kernel_, *device_, cases_[index], plan, config).verdict({order, index, poison});
}

GateReport Gate::check(LoadedPlan& plan, const Config& config) const {
  GateReport total;
  for (std::size_t i : order_) {
    if (total.failure) break;
    if (why_invalid(kernel_->space, cases_[i].problem, device_->target().facts, config)) continue;
    GateReport report = check_case(plan, config, i);
    total.checks += report.checks;
    total.errors.merge(report.errors);
    total.failure = std::move(report.failure);
  }
  return total;
}

GateReport Gate::recheck(LoadedPlan& plan, const Config& config) const { return check_case(plan, config, 0); }

}  // namespace hiptune
