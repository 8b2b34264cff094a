#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cache/code_store.hpp"
#include "device/loaded_plan.hpp"
#include "dispatch/catalog.hpp"
#include "dispatch/choices.hpp"
#include "dispatch/signature.hpp"
#include "problem/kernel.hpp"

namespace hiptune::detail {

// A configuration loaded for one set of non-batch dimensions and traits.
struct ReadyPlan {
  Config config;
  std::optional<Problem> tuned_for;  // none: the fallback
  LoadedPlan plan;
  std::vector<ClosedForm> workspaces;  // elements, from all dimensions
  std::vector<std::int64_t> workspace_element_bytes;
};

// The plans for one set of non-batch dimensions and traits, by batch size.
struct ChoiceList {
  CallKey key;
  struct Item {
    std::int64_t up_to;
    std::shared_ptr<const ReadyPlan> plan;
  };
  std::vector<Item> items;  // sorted; empty: the fallback serves

  [[nodiscard]] const ReadyPlan* pick(std::int64_t batch) const noexcept;
};

// What calls read: immutable once published, sorted by key.
struct Snapshot {
  std::vector<std::shared_ptr<const ChoiceList>> lists;
  [[nodiscard]] const ChoiceList* find(const CallKey& key) const noexcept;
};

// Device, compiler and paths of a dispatcher, shared by its bindings.
class DispatcherState {
 public:
  explicit DispatcherState(const Options& options);

  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] const KernelPath& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& caches() const { return caches_; }
  // Any thread.
  [[nodiscard]] CodeObject code_for(const Variant& variant) const;

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;  // none: only stored code objects can be used
  KernelPath kernels_;
  std::vector<std::filesystem::path> caches_;  // the user's, then the shipped one
  CodeStore code_;
};

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
  [[nodiscard]] Explanation explain(void* const* arguments) const;

 private:
  [[nodiscard]] Status launch_plan(const ReadyPlan& plan, const CallKey& key, std::span<const std::int64_t> batch,
                                   void* stream, void** arguments) const noexcept;
  [[nodiscard]] const ReadyPlan& fallback_for(const CallKey& key) const noexcept;
  void add_workspaces(const ReadyPlan& plan, const CallKey& key, void* stream, void** arguments) const;

  [[nodiscard]] CallKey require_key(void* const* arguments) const;
  [[nodiscard]] std::shared_ptr<const ReadyPlan> load_fallback(const CallKey& traits) const;
  [[nodiscard]] std::shared_ptr<const ReadyPlan> load(const TunedProblem& entry, const Problem& call) const;
  [[nodiscard]] std::shared_ptr<const ChoiceList> build(const CallKey& key) const;
  void build_and_publish(const CallKey& key) const;
  void publish(std::shared_ptr<const ChoiceList> list) const;
  void request(const CallKey& key) const noexcept;
  void build_in_background(const std::stop_token& stop) const;

  std::shared_ptr<DispatcherState> state_;
  Kernel kernel_;
  Dtype dtype_;
  Signature signature_;
  Catalog catalog_;
  std::vector<std::pair<CallKey, std::shared_ptr<const ReadyPlan>>> fallbacks_;  // one per combination of traits

  mutable std::atomic<const Snapshot*> snapshot_;
  mutable std::mutex building_;                                // one build and publication at a time
  mutable std::vector<std::unique_ptr<const Snapshot>> kept_;  // every snapshot: a call may still read an old one
  mutable std::mutex requests_;
  mutable std::vector<CallKey> wanted_;
  mutable std::condition_variable_any wake_;
  mutable std::mutex workspaces_;
  mutable std::map<std::pair<void*, std::size_t>, DeviceMemory> workspace_of_;  // by stream and workspace
  std::jthread builder_;                                                        // last: stops before what it uses goes
};

}  // namespace hiptune::detail
