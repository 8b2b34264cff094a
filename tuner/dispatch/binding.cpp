#include "dispatch/binding.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "device/backends.hpp"

namespace hiptune::detail {
namespace {

// A space in which every dimension may vary from call to call, for plans that must serve any shape.
Space with_all_dimensions_varying(Space space) {
  for (Dimension& dimension : space.dimensions) dimension.batch = true;
  return space;
}

std::vector<std::string> dimension_names(const Space& space) {
  std::vector<std::string> names;
  for (const Dimension& dimension : space.dimensions) names.push_back(dimension.name);
  return names;
}

DeviceSettings device_settings(const Options& options) {
  return {options.cxx_compiler, options.temporary_directory.string()};
}

std::unique_ptr<Compiler> compiler_if_any(const std::string& backend, const Options& options) {
  try {
    return open_compiler(backend, device_settings(options));
  } catch (const Error& error) {
    spdlog::debug("no compiler: {}", error.what());
    return nullptr;
  }
}

ReadyPlan make_ready(Device& device, const Kernel& kernel, const Problem& problem, const Config& config,
                     const CodeObject& code, const Plan& plan) {
  ReadyPlan ready{config, std::nullopt, LoadedPlan(device, code, plan), {}, {}};
  Names constants = names_of(kernel.space, problem, device.target().facts, config);
  for (const Dimension& dimension : kernel.space.dimensions) constants.erase(dimension.name);
  const std::vector<std::string> names = dimension_names(kernel.space);
  for (const Workspace& workspace : kernel.space.workspaces) {
    ready.workspaces.emplace_back(workspace.extent, constants, names);
    ready.workspace_element_bytes.push_back(static_cast<std::int64_t>(size_of(workspace.type.value_or(problem.dtype))));
  }
  return ready;
}

thread_local std::string last_error_text;

Status remember(Status status, const char* text) {
  last_error_text = text;
  return status;
}

}  // namespace

const std::string& last_error_of_thread() { return last_error_text; }

const ReadyPlan* ChoiceList::pick(std::int64_t batch) const noexcept {
  if (items.empty()) return nullptr;
  const auto item = std::lower_bound(items.begin(), items.end() - 1, batch,
                                     [](const Item& candidate, std::int64_t value) { return candidate.up_to < value; });
  return item->plan.get();
}

const ChoiceList* Snapshot::find(const CallKey& key) const noexcept {
  const auto list = std::lower_bound(lists.begin(), lists.end(), key, [](const auto& candidate, const CallKey& wanted) {
    return candidate->key < wanted;
  });
  return list != lists.end() && (*list)->key == key ? list->get() : nullptr;
}

DispatcherState::DispatcherState(const Options& options)
    : device_(open_device(options.device, device_settings(options))),
      compiler_(compiler_if_any(device_->target().backend, options)),
      kernels_(options.kernel_paths, options.environment_kernel_paths),
      caches_{options.cache, shared_data_folder() / "cache"},
      code_(options.cache / "objects") {}

CodeObject DispatcherState::code_for(const Variant& variant) const {
  return code_.find_or_compile(variant, device_->target(), compiler_.get());
}

Binding::Binding(std::shared_ptr<DispatcherState> state, std::string_view kernel, Dtype dtype, const Assignment& traits,
                 const std::vector<ArgumentType>& types)
    : state_(std::move(state)),
      kernel_(state_->kernels().load(kernel)),
      dtype_(dtype),
      signature_(kernel_.space, dtype, types, traits),
      catalog_(load_catalog(state_->caches(), state_->device().target(), kernel_, dtype)) {
  if (kernel_.space.workspaces.size() > kMaxWorkspaces)
    throw bad_input(fmt::format("{}: the dispatcher takes at most {} workspaces", kernel_.space.file, kMaxWorkspaces));
  for (const CallKey& key : signature_.trait_combinations()) fallbacks_.emplace_back(key, load_fallback(key));
  kept_.push_back(std::make_unique<Snapshot>());
  snapshot_ = kept_.back().get();
  wanted_.reserve(kMaxLists);
  builder_ = std::jthread([this](const std::stop_token& stop) { build_in_background(stop); });
}

Binding::~Binding() {
  builder_.request_stop();
  wake_.notify_all();
}

std::shared_ptr<const ReadyPlan> Binding::load_fallback(const CallKey& traits) const {
  Kernel kernel = kernel_;
  kernel.space = with_all_dimensions_varying(kernel.space);
  const Problem problem = signature_.problem_of(kernel_.space, traits);
  const Config& config = kernel_.space.fallback;
  const Variant variant = make_variant(kernel, problem, state_->device().target().facts, config);
  return std::make_shared<ReadyPlan>(
      make_ready(state_->device(), kernel_, problem, config, state_->code_for(variant), variant.plan));
}

std::shared_ptr<const ReadyPlan> Binding::load(const TunedProblem& entry, const Problem& call) const {
  const Variant variant = make_variant(kernel_, call, state_->device().target().facts, entry.config);
  ReadyPlan ready = make_ready(state_->device(), kernel_, call, entry.config, state_->code_for(variant), variant.plan);
  ready.tuned_for = entry.problem;
  return std::make_shared<ReadyPlan>(std::move(ready));
}

std::shared_ptr<const ChoiceList> Binding::build(const CallKey& key) const {
  const Problem call = signature_.problem_of(kernel_.space, key);
  auto list = std::make_shared<ChoiceList>();
  list->key = key;
  for (const Breakpoint& point : choose(kernel_.space, catalog_, call, state_->device().target().facts))
    list->items.push_back({point.up_to, load(catalog_.entries[point.entry], call)});
  return list;
}

void Binding::build_and_publish(const CallKey& key) const {
  const std::lock_guard lock(building_);
  if (snapshot_.load()->find(key) == nullptr) publish(build(key));
}

void Binding::publish(std::shared_ptr<const ChoiceList> list) const {
  auto next = std::make_unique<Snapshot>(*snapshot_.load());
  if (next->lists.size() >= kMaxLists) return;
  const auto place = std::upper_bound(next->lists.begin(), next->lists.end(), list,
                                      [](const auto& a, const auto& b) { return a->key < b->key; });
  next->lists.insert(place, std::move(list));
  snapshot_.store(next.get(), std::memory_order_release);
  kept_.push_back(std::move(next));
}

// Not to wait and not to allocate is what matters here: a request that is not taken is made again by the next call.
void Binding::request(const CallKey& key) const noexcept {
  const std::unique_lock lock(requests_, std::try_to_lock);
  if (!lock || wanted_.size() == wanted_.capacity()) return;
  if (std::find(wanted_.begin(), wanted_.end(), key) != wanted_.end()) return;
  wanted_.push_back(key);
  wake_.notify_one();
}

void Binding::build_in_background(const std::stop_token& stop) const {
  while (true) {
    CallKey key;
    {
      std::unique_lock lock(requests_);
      if (!wake_.wait(lock, stop, [&] { return !wanted_.empty(); })) return;
      key = wanted_.front();
    }
    try {
      build_and_publish(key);
    } catch (const std::exception& error) {
      spdlog::warn("{}: the fallback serves: {}", kernel_.name, error.what());
      // An empty list, so that the next call does not ask for the same failure again.
      const std::lock_guard lock(building_);
      publish(std::make_shared<ChoiceList>(ChoiceList{key, {}}));
    }
    const std::lock_guard lock(requests_);
    wanted_.erase(wanted_.begin());
  }
}

const ReadyPlan& Binding::fallback_for(const CallKey& key) const noexcept {
  for (const auto& [traits, plan] : fallbacks_)
    if (traits.traits == key.traits) return *plan;
  return *fallbacks_.front().second;  // not reached: every combination of traits has one
}

Status Binding::launch(void* stream, void** arguments) const noexcept {
  CallKey key;
  bool is_empty = false;
  const Status status = signature_.read(arguments, key, is_empty);
  if (status != Status::success || is_empty) return status;
  std::array<std::int64_t, kMaxDimensions> batch{};
  const std::size_t count = signature_.batch_of(key, batch);
  const CallKey bare = signature_.without_batch(key);
  const ChoiceList* list = snapshot_.load(std::memory_order_acquire)->find(bare);
  if (list == nullptr) request(bare);
  const ReadyPlan* plan = list == nullptr ? nullptr : list->pick(batch_size({batch.data(), count}));
  if (plan != nullptr) return launch_plan(*plan, key, {batch.data(), count}, stream, arguments);
  return launch_plan(fallback_for(key), key, {key.dimensions.data(), signature_.dimensions()}, stream, arguments);
}

Status Binding::launch_plan(const ReadyPlan& plan, const CallKey& key, std::span<const std::int64_t> batch,
                            void* stream, void** arguments) const noexcept {
  try {
    if (!plan.workspaces.empty()) add_workspaces(plan, key, stream, arguments);
    plan.plan.launch(batch, arguments, stream);
    return Status::success;
  } catch (const KernelFault& fault) {
    return remember(Status::kernel_fault, fault.what());
  } catch (const std::exception& error) {
    return remember(Status::launch_failed, error.what());
  }
}

// One per stream, grown when a call needs more: launches of one stream run one after the other.
void Binding::add_workspaces(const ReadyPlan& plan, const CallKey& key, void* stream, void** arguments) const {
  thread_local std::array<void*, kMaxWorkspaces> addresses;
  const std::lock_guard lock(workspaces_);
  for (std::size_t i = 0; i < plan.workspaces.size(); ++i) {
    const std::int64_t elements = plan.workspaces[i].evaluate({key.dimensions.data(), signature_.dimensions()});
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(elements, 1) * plan.workspace_element_bytes[i]);
    DeviceMemory& memory = workspace_of_[{stream, i}];
    if (memory.bytes() < bytes) {
      state_->device().synchronize(stream);
      memory = DeviceMemory(state_->device(), bytes);
    }
    addresses[i] = memory.data();
    arguments[signature_.arguments() + i] = &addresses[i];
  }
}

CallKey Binding::require_key(void* const* arguments) const {
  CallKey key;
  bool is_empty = false;
  const Status status = signature_.read(arguments, key, is_empty);
  if (status != Status::success) throw bad_input(kernel_.name + ": " + to_string(status));
  return key;
}

void Binding::prepare(void* const* arguments) const {
  build_and_publish(signature_.without_batch(require_key(arguments)));
}

Explanation Binding::explain(void* const* arguments) const {
  const CallKey key = require_key(arguments);
  build_and_publish(signature_.without_batch(key));
  std::array<std::int64_t, kMaxDimensions> batch{};
  const std::size_t count = signature_.batch_of(key, batch);
  const ChoiceList* list = snapshot_.load()->find(signature_.without_batch(key));
  const ReadyPlan* plan = list == nullptr ? nullptr : list->pick(batch_size({batch.data(), count}));
  const std::string skipped =
      catalog_.skipped.empty() ? ""
                               : fmt::format(" ({} not used: {})", catalog_.skipped.size(), catalog_.skipped.front());
  if (plan == nullptr) {
    const std::string why = catalog_.entries.empty() ? "the caches hold no usable entry for this device and dtype"
                                                     : "no cached configuration is valid for this call";
    return {Choice::fallback, to_string(kernel_.space.fallback), "", why + skipped};
  }
  const Problem call = signature_.problem_of(kernel_.space, key);
  const std::string tuned_for = to_string(kernel_.space, *plan->tuned_for);
  if (*plan->tuned_for == call)
    return {Choice::exact, to_string(plan->config), tuned_for, "this very problem was tuned" + skipped};
  return {Choice::nearest, to_string(plan->config), tuned_for,
          "the nearest tuned problem whose configuration is valid for this call" + skipped};
}

}  // namespace hiptune::detail
