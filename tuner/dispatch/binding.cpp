#include "dispatch/binding.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include <spdlog/fmt/fmt.h>

#include "cache/retune.hpp"
#include "dispatch/last_error.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune::detail {
Binding::Binding(std::shared_ptr<DispatcherState> state, std::string_view kernel, Dtype dtype, const Assignment& traits,
                 const std::vector<ArgumentType>& types)
    : state_(std::move(state)),
      kernel_(state_->kernels().load(kernel)),
      signature_(kernel_.space, dtype, types, traits, state_->device().target().facts),
      catalog_(load_catalog(state_->caches(), state_->device().target(), kernel_, dtype)),
      workspaces_(state_->device()) {
  if (kernel_.space.workspaces.size() > kMaxWorkspaces)
    throw bad_input(fmt::format("{}: the dispatcher takes at most {} workspaces", kernel_.space.file, kMaxWorkspaces));
  for (const CallKey& key : signature_.trait_combinations()) fallbacks_.push_back(load_fallback(key));
  kept_.push_back(std::make_unique<Snapshot>());
  snapshot_ = kept_.back().get();
  wanted_.reserve(kMaxLists);
  builder_ = std::jthread([this](const std::stop_token& stop) { build_in_background(stop); });
}

Binding::~Binding() {
  builder_.request_stop();
  wake_.notify_all();
}

// ---- calls

Status Binding::launch(void* stream, void** arguments) const noexcept {
  const CallReading reading = signature_.read(arguments);
  if (reading.status != Status::success) return refuse(reading, arguments);
  if (reading.is_empty) return Status::success;
  const BatchValues batch = signature_.batch_of(reading.key);
  const CallKey bare = signature_.without_batch(reading.key);
  const Snapshot& snapshot = *snapshot_.load(std::memory_order_acquire);
  const ChoiceList* list = snapshot.find(bare);
  if (list == nullptr && snapshot.lists.size() < kMaxLists) request(bare);
  if (const ChoiceList::Item* item = list == nullptr ? nullptr : list->pick(batch.span()))
    return launch_plan(*item->plan, batch.span(), stream, arguments);
  const Fallback& fallback = fallback_for(reading.key);
  if (fallback.plan == nullptr) return remember(Status::not_ready, fallback.why_not);
  return launch_plan(*fallback.plan, signature_.dimensions_of(reading.key), stream, arguments);
}

Status Binding::refuse(const CallReading& reading, void* const* arguments) const noexcept {
  try {
    return remember(reading.status, kernel_.name + ": " + signature_.describe(reading, arguments));
  } catch (const std::bad_alloc&) {
    return reading.status;
  }
}

Status Binding::launch_plan(const ReadyPlan& plan, std::span<const std::int64_t> varying, void* stream,
                            void** arguments) const noexcept {
  try {
    if (!plan.workspaces.empty()) add_workspaces(plan, varying, stream, arguments);
    plan.plan.launch(varying, arguments, stream);
    return Status::success;
  } catch (const KernelFault& fault) {
    return remember(Status::kernel_fault, fault.what());
  } catch (const std::exception& error) {
    return remember(Status::launch_failed, error.what());
  }
}

void Binding::add_workspaces(const ReadyPlan& plan, std::span<const std::int64_t> varying, void* stream,
                             void** arguments) const {
  WorkspaceSlot& slot = workspaces_.of_this_thread(stream);
  for (std::size_t i = 0; i < plan.workspaces.size(); ++i)
    arguments[signature_.arguments() + i] = workspaces_.require(slot, i, plan.workspaces[i].bytes(varying));
}

const Binding::Fallback& Binding::fallback_for(const CallKey& key) const noexcept {
  for (const Fallback& fallback : fallbacks_)
    if (fallback.traits.traits == key.traits) return fallback;
  return fallbacks_.front();  // not reached: every combination of traits has one
}

// Not to wait and not to allocate is what matters here: a request that is not taken is made again by the next call.
void Binding::request(const CallKey& key) const noexcept {
  const std::unique_lock lock(requests_, std::try_to_lock);
  if (!lock || wanted_.size() == wanted_.capacity()) return;
  if (std::find(wanted_.begin(), wanted_.end(), key) != wanted_.end()) return;
  wanted_.push_back(key);
  wake_.notify_one();
}

// ---- building

Binding::Fallback Binding::load_fallback(const CallKey& traits) const {
  const TargetFacts& facts = state_->device().target().facts;
  const Problem problem = signature_.problem_of(kernel_.space, traits);
  const UniversalPlan universal = make_universal_plan(kernel_.space, problem, facts);
  const std::string advice = "; prepare() makes a plan for given dimensions";
  if (!universal.plan) return {traits, nullptr, "no fallback for any shape: " + universal.why_not + advice};
  Variant variant = make_variant(kernel_, problem, facts, kernel_.space.fallback);
  variant.plan = *universal.plan;
  try {
    return {traits,
            std::make_shared<ReadyPlan>(
                state_->load(variant, kernel_.space, problem, kernel_.space.fallback, dimension_names(kernel_.space))),
            ""};
  } catch (const Error& error) {
    // No compiler, and only winners stored: good enough for calls that a winner serves.
    if (error.kind() != ErrorKind::unavailable || catalog_.entries.empty()) throw;
    log().warn("{}: no fallback: {}", kernel_.name, error.what());
    return {traits, nullptr, std::string("no fallback: ") + error.what() + advice};
  }
}

std::shared_ptr<const ReadyPlan> Binding::load(const Config& config, const Problem& call) const {
  const Variant variant = make_variant(kernel_, call, state_->device().target().facts, config);
  return std::make_shared<ReadyPlan>(
      state_->load(variant, kernel_.space, call, config, kernel_.space.batch_dimensions()));
}

// `at` is the entry being loaded, for whoever catches what this throws.
ChoiceList Binding::load_choices(const Choices& choices, const std::vector<TunedProblem>& entries, const CallKey& key,
                                 std::size_t& at) const {
  const Problem call = signature_.problem_of(kernel_.space, key);
  std::map<std::string, std::shared_ptr<const ReadyPlan>> loaded;  // by configuration
  const auto item = [&](std::size_t entry, std::int64_t up_to) -> ChoiceList::Item {
    at = entry;
    auto& plan = loaded[to_string(entries[entry].config)];
    if (plan == nullptr) plan = load(entries[entry].config, call);
    return {up_to, plan, entries[entry].problem};
  };
  ChoiceList list{key, {}, {}, "no cached configuration is valid for this call"};
  for (const Breakpoint& point : choices.breakpoints) list.items.push_back(item(point.entry, point.up_to));
  for (const ExactBatch& one : choices.exact) list.exact.push_back({one.batch, item(one.entry, 0)});
  return list;
}

// An entry whose code cannot be had is left out, and the next nearest takes its place.
ChoiceList Binding::load_nearest_that_loads(const CallKey& key) const {
  const Problem call = signature_.problem_of(kernel_.space, key);
  std::vector<TunedProblem> entries = catalog_.entries;
  std::string failure;
  while (true) {
    std::size_t at = 0;
    try {
      const Choices choices = choose(kernel_.space, entries, call, state_->device().target().facts);
      ChoiceList list = load_choices(choices, entries, key, at);
      if (entries.empty()) list.why_fallback = "there is no usable entry for this device and dtype in " + cache_names();
      if (!failure.empty()) list.why_fallback = failure;
      return list;
    } catch (const Error& error) {
      if (at >= entries.size()) throw;
      log().warn("{}: {} is not used: {}", kernel_.name, to_string(entries[at].config), error.what());
      failure = error.what();
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

std::shared_ptr<const ChoiceList> Binding::build(const CallKey& key) const {
  ChoiceList list = load_nearest_that_loads(key);
  if (list.items.empty() && fallback_for(key).plan == nullptr) {
    auto plan = load(kernel_.space.fallback, signature_.problem_of(kernel_.space, key));
    list.items.push_back({std::numeric_limits<std::int64_t>::max(), std::move(plan), std::nullopt});
  }
  return std::make_shared<ChoiceList>(std::move(list));
}

void Binding::build_and_publish(const CallKey& key) const {
  const std::lock_guard lock(building_);
  const Snapshot& snapshot = *snapshot_.load();
  const ChoiceList* list = snapshot.find(key);
  if (list == nullptr ? snapshot.lists.size() < kMaxLists : list->failed) publish(build(key));
}

// Takes the place of a list with the same key. Requires building_.
void Binding::publish(std::shared_ptr<const ChoiceList> list) const {
  auto next = std::make_unique<Snapshot>(*snapshot_.load());
  const auto place = std::upper_bound(next->lists.begin(), next->lists.end(), list,
                                      [](const auto& a, const auto& b) { return a->key < b->key; });
  if (place != next->lists.begin() && (*std::prev(place))->key == list->key)
    *std::prev(place) = std::move(list);
  else
    next->lists.insert(place, std::move(list));
  kept_.push_back(std::move(next));
  snapshot_.store(kept_.back().get(), std::memory_order_release);
}

void Binding::build_or_give_up(const CallKey& key) const {
  try {
    build_and_publish(key);
  } catch (const std::exception& error) {
    log().warn("{}: {}", kernel_.name, error.what());
    // An empty list, so that the next call does not ask for the same failure again; prepare tries anew.
    const std::lock_guard lock(building_);
    if (snapshot_.load()->find(key) == nullptr)
      publish(std::make_shared<ChoiceList>(ChoiceList{key, {}, {}, error.what(), true}));
  }
}

void Binding::build_in_background(const std::stop_token& stop) const {
  while (true) {
    CallKey key;
    {
      std::unique_lock lock(requests_);
      if (!wake_.wait(lock, stop, [&] { return !wanted_.empty(); }) || stop.stop_requested()) return;
      key = wanted_.front();
    }
    build_or_give_up(key);
    const std::lock_guard lock(requests_);
    wanted_.erase(wanted_.begin());
  }
}

// ---- explanations

CallReading Binding::require_good(void* const* arguments) const {
  const CallReading reading = signature_.read(arguments);
  if (reading.status != Status::success) throw bad_input(kernel_.name + ": " + signature_.describe(reading, arguments));
  return reading;
}

void Binding::prepare(void* const* arguments) const {
  const CallReading reading = require_good(arguments);
  if (!reading.is_empty) build_and_publish(signature_.without_batch(reading.key));
}

Explanation Binding::explain(void* const* arguments) const {
  const CallReading reading = require_good(arguments);
  if (reading.is_empty) return {Choice::fallback, "", "", "a batch dimension is 0, so that nothing is launched"};
  const CallKey bare = signature_.without_batch(reading.key);
  build_and_publish(bare);
  const ChoiceList* list = snapshot_.load()->find(bare);
  const ChoiceList::Item* item = list == nullptr ? nullptr : list->pick(signature_.batch_of(reading.key).span());
  if (item == nullptr || !item->tuned_for) return explain_fallback(list, reading.key);
  return explain_item(*item, reading.key);
}

Explanation Binding::explain_item(const ChoiceList::Item& item, const CallKey& key) const {
  const Problem call = signature_.problem_of(kernel_.space, key);
  const std::string config = to_string(item.plan->config), tuned_for = to_string(kernel_.space, *item.tuned_for);
  if (*item.tuned_for == call) return {Choice::exact, config, tuned_for, "this very problem was tuned"};
  return {Choice::nearest, config, tuned_for,
          "the nearest tuned problem whose configuration is valid for this call" +
              skipped_text(to_string(kernel_.space, call))};
}

Explanation Binding::explain_fallback(const ChoiceList* list, const CallKey& key) const {
  const std::string why =
      list != nullptr ? list->why_fallback
                      : fmt::format("{} sets of dimensions are ready, the most that a binding keeps", kMaxLists);
  const Problem call = signature_.problem_of(kernel_.space, key);
  return {Choice::fallback, to_string(kernel_.space.fallback), "",
          why + tuning_text(call) + skipped_text(to_string(kernel_.space, call))};
}

std::string Binding::cache_names() const {
  std::vector<std::string> names;
  for (const auto& cache : state_->caches()) names.push_back(cache.string());
  return fmt::format("{}", fmt::join(names, " and "));
}

// How to make an entry where there is none at all; what is skipped tells its own command.
std::string Binding::tuning_text(const Problem& call) const {
  if (!catalog_.entries.empty() || !catalog_.skipped.empty()) return "";
  const auto& caches = state_->caches();
  return "; make one with `" +
         tune_command(kernel_, call, Objective::cold, state_->device().target().id,
                      caches.size() > 1 ? caches.front() : std::filesystem::path()) +
         "`";
}

// What the caches hold and may not be used: the entry for this problem if there is one, else the first.
std::string Binding::skipped_text(const std::string& problem) const {
  if (catalog_.skipped.empty()) return "";
  auto shown = std::ranges::find(catalog_.skipped, problem, &Skipped::problem);
  if (shown == catalog_.skipped.end()) shown = catalog_.skipped.begin();
  return fmt::format(" ({} not used: {})", catalog_.skipped.size(), shown->reason);
}

}  // namespace hiptune::detail
