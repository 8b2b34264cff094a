#include "gate/gate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "gate/far_buffers.hpp"
#include "gate/judge_words.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

// One case of one variant, from the first launch to the verdict.
class CaseRun {
 public:
  CaseRun(const Kernel& kernel, Device& device, const GateCase& gate_case, Judge& judge, LoadedPlan& plan,
          const Config& config, const PlantedFault* fault)
      : space_(kernel.space),
        device_(device),
        case_(gate_case),
        judge_(judge),
        plan_(plan),
        limit_(tolerance_of(space_, case_.problem, device.target().facts, config)),
        workspace_bytes_(workspace_bytes(space_, case_.problem, device.target().facts, config)),
        workspaces_(device, workspace_bytes_),
        fault_(fault) {
    plan_.replan(make_plan(space_, case_.problem, device.target().facts, config, case_.grid_limit));
  }

  GateReport verdict(const std::vector<Schedule>& others) {
    GateReport report;
    report.checks = 1;
    run({Schedule::Order::forward, 0, kPoisonByte}, report);
    is_second_run_ = true;
    for (const Schedule& other : others) {
      if (report.failure || !case_.run_twice) break;
      run(other, report);
      if (report.failure) *report.failure += in_second_run();
    }
    if (report.failure) report.failure = case_.name + ": " + *report.failure;
    if (!report.errors.worst.empty()) report.errors.worst = case_.name + ": " + report.errors.worst;
    if (case_.at_tuned_shape) report.errors.at_shape = report.errors.absolute;
    return report;
  }

  // Whether there was a place for the fault.
  [[nodiscard]] bool was_planted() const { return was_planted_; }

 private:
  // `schedule.unwritten_lds` is the poison of everything. Another poison and another order of blocks and threads must
  // give right results again, and the same.
  void run(const Schedule& schedule, GateReport& report) {
    const std::byte poison = schedule.unwritten_lds;
    judge_.set_up(poison);
    workspaces_.poison(poison, nullptr);
    if (fault_ == nullptr || !fault_->without_launch) launch(schedule, report);
    if (report.failure) return;
    if (fault_ != nullptr) plant(poison);
    judge_.judge(report);
    if (report.failure && case_.grid_limit > 0 && report.failure->ends_with(kNeverWritten))
      *report.failure += fmt::format("; in this case loops over batch rows get at most {} blocks", case_.grid_limit);
    if (!report.failure && !workspaces_.guards_intact(poison, nullptr)) report.failure = "wrote outside a workspace";
  }

  void launch(const Schedule& schedule, GateReport& report) {
    const ArgumentList arguments(
        space_, case_.problem,
        {judge_.addresses(), strides_of(space_, judge_.layouts()), case_.scalars, workspaces_.addresses()});
    device_.set_schedule(schedule);
    device_.watch(watched_buffers(space_, judge_.layouts(), judge_.addresses(), workspaces_));
    try {
      plan_.launch(batch_values(space_, case_.problem), arguments.pointers(), nullptr);
      device_.synchronize(nullptr);
    } catch (const KernelFault& fault) {
      report.failure = fault.what();
    }
    device_.set_schedule({});
  }

  void plant(std::byte poison) {
    was_planted_ = fault_->plant({device_, space_, case_, judge_.addresses(), workspaces_.addresses(), workspace_bytes_,
                                  limit_, poison, is_second_run_});
  }

  static std::string in_second_run() {
    return ", in a second run only (a race, or LDS, a workspace or an output read before it was written, or something "
           "read beyond its end?)";
  }

  const Space& space_;
  Device& device_;
  const GateCase& case_;
  Judge& judge_;
  LoadedPlan& plan_;
  Limit limit_;
  std::vector<std::int64_t> workspace_bytes_;
  WorkspaceSet workspaces_;
  const PlantedFault* fault_;
  bool is_second_run_ = false;
  bool was_planted_ = false;
};

// Of the case of that index.
std::vector<Schedule> other_schedules(std::size_t index, Repeats repeats) {
  const std::byte poison = index / 2 % 2 == 0 ? kLargePoisonByte : kNegativePoisonByte;
  const Schedule backward{Schedule::Order::backward, index, poison};
  const Schedule shuffled{Schedule::Order::shuffled, index, poison};
  if (repeats == Repeats::every_order) return {backward, shuffled};
  return {index % 2 == 0 ? backward : shuffled};
}

// On the device: inputs and right results.
std::size_t resident_bytes(const GateCase& gate_case) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < gate_case.images.size(); ++i)
    if (gate_case.layouts[i].buffer.is_filled()) bytes += gate_case.images[i].size();
  for (const OracleOutput& right : gate_case.oracle) bytes += right.size() * sizeof(double);
  return bytes;
}

}  // namespace

Gate::Gate(const Kernel& kernel, Device& device, Compiler& compiler, Repeats repeats)
    : kernel_(&kernel), device_(&device), compiler_(&compiler), repeats_(repeats) {}

void Gate::make_resident(HeldCase& held) {
  constexpr double kShare = 1.0 / 3;  // of the device's memory; timing needs the rest
  const std::size_t bytes = resident_bytes_ + resident_bytes(held.data);
  if (static_cast<double>(bytes) > kShare * static_cast<double>(device_->target().memory_bytes)) return;
  held.resident = std::make_unique<ResidentImages>(*device_, held.data);
  held.data.images = {};
  held.data.oracle = {};
  resident_bytes_ = bytes;
}

void Gate::add(GateCase gate_case, Judged judged) {
  auto held = std::make_unique<HeldCase>(HeldCase{std::move(gate_case), judged, nullptr});
  if (judged == Judged::on_device) {
    if (!checker_) checker_ = std::make_unique<DeviceChecker>(*device_, *compiler_, kernel_->device_layer);
    make_resident(*held);
  }
  cases_.push_back(std::move(held));
}

std::unique_ptr<Judge> Gate::judge_of(const HeldCase& held, const Limit& limit,
                                      std::unique_ptr<ResidentImages>& visiting) const {
  if (held.judged == Judged::on_host) return host_judge(*device_, held.data, limit);
  if (!held.resident) visiting = std::make_unique<ResidentImages>(*device_, held.data);
  return device_judge(*device_, *checker_, held.data, visiting ? *visiting : *held.resident, limit);
}

std::optional<GateReport> Gate::check_case(LoadedPlan& plan, const Config& config, std::size_t index,
                                           const PlantedFault* fault) {
  const HeldCase& held = *cases_[index];
  const Limit limit = tolerance_of(kernel_->space, held.data.problem, device_->target().facts, config);
  std::unique_ptr<ResidentImages> visiting;
  std::unique_ptr<Judge> judge;
  try {
    judge = judge_of(held, limit, visiting);
  } catch (const Error& error) {
    if (!held.data.rows_far_apart) throw;
    log().debug("left out: {}: {}", held.data.name, error.what());
    return std::nullopt;
  }
  CaseRun run(*kernel_, *device_, held.data, *judge, plan, config, fault);
  GateReport report = run.verdict(other_schedules(index, repeats_));
  if (fault != nullptr && !run.was_planted()) return std::nullopt;
  return report;
}

// Whether the device has the memory for it. That of rows far apart is no part of what a problem needs.
bool Gate::can_run(const GateCase& gate_case) const {
  return !gate_case.rows_far_apart || FarBuffers::bytes_for(gate_case.layouts) <= device_->sparse_bytes();
}

bool Gate::runs_far_rows() const {
  return std::ranges::any_of(cases_,
                             [&](const auto& held) { return held->data.rows_far_apart && can_run(held->data); });
}

GateReport Gate::check(LoadedPlan& plan, const Config& config) {
  std::vector<std::size_t> order(cases_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Rows far apart come last: what another case shows as well is easier to understand there.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(cases_[i]->data.rows_far_apart, total_bytes(cases_[i]->data.layouts));
  });
  GateReport total;
  for (const std::size_t i : order) {
    if (total.failure) break;
    if (!can_run(cases_[i]->data)) continue;
    if (why_invalid(kernel_->space, cases_[i]->data.problem, device_->target().facts, config)) continue;
    std::optional<GateReport> report = check_case(plan, config, i, nullptr);
    if (!report) continue;
    total.checks += report->checks;
    total.errors.merge(report->errors);
    total.failure = std::move(report->failure);
  }
  return total;
}

GateReport Gate::recheck(LoadedPlan& plan, const Config& config) { return *check_case(plan, config, 0, nullptr); }

// One judged on the device, and one with gaps between rows that is judged here: each way of comparing.
std::vector<std::size_t> Gate::self_test_cases(const Config& config) const {
  std::vector<std::size_t> chosen{0};
  const auto has_gap = [](const BufferLayout& layout) {
    return layout.shape.rows > 1 && layout.stride > layout.shape.cols;
  };
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const GateCase& one = cases_[i]->data;
    if (cases_[i]->judged == Judged::on_device || one.rows_far_apart || std::ranges::none_of(one.layouts, has_gap))
      continue;
    if (why_invalid(kernel_->space, one.problem, device_->target().facts, config)) continue;
    chosen.push_back(i);
    break;
  }
  return chosen;
}

std::vector<CaughtFault> Gate::self_test(LoadedPlan& plan, const Config& config,
                                         const std::vector<PlantedFault>& faults) {
  std::vector<CaughtFault> results;
  for (const std::size_t i : self_test_cases(config)) {
    if (const auto failure = check_case(plan, config, i, nullptr)->failure) throw KernelFault(*failure);
    for (const PlantedFault& fault : faults) {
      const std::optional<GateReport> report = check_case(plan, config, i, &fault);
      if (!report) continue;
      const std::string said = report->failure.value_or("");
      const bool as_meant = said.find(fault.caught_by) != std::string::npos;
      results.push_back({fault.name, cases_[i]->data.name, as_meant ? said : ""});
    }
  }
  return results;
}

void Gate::fill(const BufferSet& set, std::size_t index) {
  const auto sets = static_cast<std::size_t>(
      std::ranges::count_if(cases_, [](const auto& held) { return held->data.at_tuned_shape; }));
  const HeldCase& held = *cases_[index % sets];
  if (!held.resident) return upload(*device_, set, held.data.images);
  for (std::size_t i = 0; i < set.layouts().size(); ++i)
    if (const BufferLayout& layout = set.layouts()[i]; layout.buffer.has_memory())
      checker_->paint(set.allocation(i), layout, held.resident->source(i), fill_of(layout.buffer, i, kPoisonByte));
  device_->synchronize(nullptr);
}

}  // namespace hiptune
