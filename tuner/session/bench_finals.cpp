#include <stdexcept>

#include "hiptune/error.hpp"
#include "session/bench.hpp"
#include "session/finalist.hpp"

namespace hiptune {

std::string finals_phase(const FinalsRequest& request, std::size_t finalist) {
  if (finalist < request.configs.size()) return "finals of " + to_string(request.configs[finalist]);
  const std::size_t copy = finalist - request.configs.size();
  return copy < request.copies->size() ? "finals of the copy " + to_string((*request.copies)[copy])
                                       : "finals of the device's own copy";
}

Timer Bench::timer(const TimingLimits& limits) { return {*device_, rotation(), limits, steady_clock()}; }

std::unique_ptr<Finalist> Bench::make_finalist(const Config& config, Objective objective, Timer& timer) {
  Compilation compilation =
      compile_config(kernel_, problem_, device_->target(), config, *compiler_, [](const auto&) {});
  if (!compilation.code) throw failed(compilation.trial.detail);
  auto finalist = std::make_unique<Finalist>(Finalist{&timer});
  finalist->loaded.emplace(
      Finalist::Loaded{config, LoadedPlan(*device_, *compilation.code, compilation.plan), std::nullopt});
  check_finalist(*finalist);
  Finalist::Loaded& loaded = *finalist->loaded;
  loaded.variant.emplace(loaded.plan, *device_, kernel_, problem_, config, rotation(), gate_->scalars());
  finalist->launch = loaded.variant->launch();
  finalist->warm_up(objective);
  return finalist;
}

// From the first buffer of a set to the second: this bench is of the copy kernel.
std::unique_ptr<Finalist> Bench::make_copying_finalist(Objective objective, Timer& timer) {
  const BufferLayout& from = rotation().set(0).layouts().front();
  const std::size_t bytes = static_cast<std::size_t>(from.shape.elements()) * size_of(from.shape.type);
  auto finalist = std::make_unique<Finalist>(Finalist{&timer});
  finalist->launch = [this, bytes](std::size_t set, Stream stream) {
    const std::vector<void*> buffers = rotation().set(set).addresses();
    device_->copy(buffers[1], buffers[0], bytes, stream);
  };
  finalist->warm_up(objective);
  return finalist;
}

void Bench::check_finalist(Finalist& finalist) {
  if (!finalist.loaded) return;
  if (auto failure = gate_->recheck(finalist.loaded->plan, finalist.loaded->config).failure)
    throw KernelFault(*failure);
}

namespace {

// Runs an action for a finalist; whose failure it is ends up in the report.
template <class Action>
void attempt(FinalsReport& report, std::size_t finalist, const std::string& when, const Action& action) {
  try {
    action();
  } catch (const LaunchFailure& failure) {
    report.failures[finalist] = {Outcome::launch_failed, when + failure.what()};
  } catch (const KernelFault& fault) {
    report.failures[finalist] = {Outcome::wrong, when + fault.what()};
  } catch (const Error& error) {  // it does not load, or its workspaces do not fit
    report.failures[finalist] = {Outcome::launch_failed, when + error.what()};
  }
}

std::vector<Round> time_side_by_side(const std::vector<std::unique_ptr<Finalist>>& finalists,
                                     const FinalsRequest& request, const PhaseListener& phase) {
  Finals finals(finalists.size(), request.limits, request.seed, steady_clock());
  while (!finals.done()) {
    phase("finals");
    Round round(finalists.size());
    for (const std::size_t i : finals.next_order()) round[i] = finalists[i]->sample();
    finals.add(std::move(round));
  }
  return finals.rounds();
}

}  // namespace

FinalsReport Bench::finals(const FinalsRequest& request, const PhaseListener& phase, Bench* copies) {
  if (request.copies && copies == nullptr) throw std::logic_error("copies are to take part, and none were prepared");
  FinalsReport report;
  Timer own_timer = timer(request.timing);
  std::optional<Timer> copy_timer;
  if (request.copies) {
    copies->bytes_of_others_ = gate_bytes() + rotation_bytes();
    copy_timer = copies->timer(request.timing);
  }
  const auto make = [&](std::size_t i) {
    if (i < request.configs.size()) return make_finalist(request.configs[i], request.objective, own_timer);
    const std::size_t copy = i - request.configs.size();
    return copy < request.copies->size()
               ? copies->make_finalist((*request.copies)[copy], request.objective, *copy_timer)
               : copies->make_copying_finalist(request.objective, *copy_timer);
  };
  std::vector<std::unique_ptr<Finalist>> finalists(request.finalists());
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    phase(finals_phase(request, i));
    attempt(report, i, "", [&] { finalists[i] = make(i); });
  }
  if (!report.failures.empty()) return report;  // the others are asked for again without it
  report.rounds = time_side_by_side(finalists, request, phase);
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    phase(finals_phase(request, i));
    Bench& owner = i < request.configs.size() ? *this : *copies;
    attempt(report, i, "after the finals: ", [&] { owner.check_finalist(*finalists[i]); });
  }
  return report;
}

}  // namespace hiptune
