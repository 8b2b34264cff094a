#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/catalog.hpp"
#include "dispatch/dispatcher_state.hpp"
#include "dispatch/ready_plan.hpp"
#include "dispatch/signature.hpp"
#include "dispatch/workspaces.hpp"
#include "problem/kernel.hpp"

namespace hiptune::detail {

// A kernel bound to a signature. Calls read one atomic pointer; lists for dimensions not seen before are built by a
// thread of the binding's own, or by prepare, and published as a new snapshot. At most kMaxLists lists are kept:
// beyond that the fallback serves.
class Binding {
 public:
  static constexpr std::size_t kMaxLists = 256;

  Binding(std::shared_ptr<DispatcherState> state, std::string_view kernel, Dtype dtype, const Assignment& traits,
          const std::vector<ArgumentType>& types);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  [[nodiscard]] Status launch(void* stream, void** arguments) const noexcept;
  void prepare(void* const* arguments) const;
  void forget(void* stream) const noexcept { workspaces_.forget(stream); }
  [[nodiscard]] Explanation explain(void* const* arguments) const;
  // Lists that are ready: at most kMaxLists.
  [[nodiscard]] std::size_t ready_lists() const noexcept { return snapshot_.load()->lists.size(); }

 private:
  // The fallback for one combination of traits and any dimensions.
  struct Fallback {
    CallKey traits;
    std::shared_ptr<const ReadyPlan> plan;  // none: why_not says why
    std::string why_not;
  };

  [[nodiscard]] Status launch_plan(const ReadyPlan& plan, std::span<const std::int64_t> varying, void* stream,
                                   void** arguments) const noexcept;
  void add_workspaces(const ReadyPlan& plan, std::span<const std::int64_t> varying, void* stream,
                      void** arguments) const;
  [[nodiscard]] const Fallback& fallback_for(const CallKey& key) const noexcept;
  [[nodiscard]] Status refuse(const CallReading& reading, void* const* arguments) const noexcept;

  [[nodiscard]] CallReading require_good(void* const* arguments) const;
  [[nodiscard]] Explanation explain_item(const ChoiceList::Item& item, const CallKey& key) const;
  [[nodiscard]] Explanation explain_fallback(const ChoiceList* list, const CallKey& key) const;
  [[nodiscard]] std::string cache_names() const;
  [[nodiscard]] std::string tuning_text(const Problem& call) const;
  [[nodiscard]] std::string skipped_text(const std::string& problem) const;

  [[nodiscard]] Fallback load_fallback(const CallKey& traits) const;
  [[nodiscard]] std::shared_ptr<const ReadyPlan> load(const Config& config, const Problem& call) const;
  [[nodiscard]] ChoiceList load_choices(const Choices& choices, const std::vector<TunedProblem>& entries,
                                        const CallKey& key, std::size_t& at) const;
  [[nodiscard]] ChoiceList load_nearest_that_loads(const CallKey& key) const;
  [[nodiscard]] std::shared_ptr<const ChoiceList> build(const CallKey& key) const;
  void build_and_publish(const CallKey& key) const;
  void publish(std::shared_ptr<const ChoiceList> list) const;
  void request(const CallKey& key) const noexcept;
  void build_in_background(const std::stop_token& stop) const;
  void build_or_give_up(const CallKey& key) const;

  std::shared_ptr<DispatcherState> state_;
  Kernel kernel_;
  Signature signature_;
  Catalog catalog_;
  std::vector<Fallback> fallbacks_;

  mutable std::atomic<const Snapshot*> snapshot_;
  mutable std::mutex building_;                                // one build and publication at a time
  mutable std::vector<std::unique_ptr<const Snapshot>> kept_;  // every snapshot: a call may still read an old one
  mutable std::mutex requests_;
  mutable std::vector<CallKey> wanted_;
  mutable std::condition_variable_any wake_;
  mutable Workspaces workspaces_;
  std::jthread builder_;  // last: stops before what it uses goes
};

}  // namespace hiptune::detail
