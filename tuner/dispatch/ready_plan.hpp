#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/loaded_plan.hpp"
#include "dispatch/choices.hpp"
#include "dispatch/signature.hpp"
#include "problem/kernel.hpp"

namespace hiptune::detail {

// A configuration loaded on the device. What its geometry and its workspaces are computed from at a call are the batch
// dimensions, or, for a fallback that serves any shape, all dimensions.
struct ReadyPlan {
  Config config;
  LoadedPlan plan;
  struct WorkspaceSize {
    ClosedForm elements;
    std::int64_t element_bytes;
    [[nodiscard]] std::size_t bytes(std::span<const std::int64_t> varying) const noexcept;
  };
  std::vector<WorkspaceSize> workspaces;
};

// `varying` names the dimensions that calls give. Throws Error when the code does not load or a workspace is no closed
// form of them.
[[nodiscard]] ReadyPlan make_ready(Device& device, const Space& space, const Problem& problem, const Config& config,
                                   const CodeObject& code, const Plan& plan, const std::vector<std::string>& varying);

// The plan of the fallback for any shape: every dimension varies from call to call. None, with the reason, where the
// space's expressions allow no such plan: a block, LDS or a condition that depends on a dimension, a grid that is no
// closed form of them.
struct UniversalPlan {
  std::optional<Plan> plan;
  std::string why_not;
};
[[nodiscard]] UniversalPlan make_universal_plan(const Space& space, const Problem& problem, const TargetFacts& facts);

// The plans for one set of non-batch dimensions and traits, by batch size. Immutable once published.
struct ChoiceList {
  struct Item {
    std::int64_t up_to;
    std::shared_ptr<const ReadyPlan> plan;
    std::optional<Problem> tuned_for;  // none: the fallback
  };
  struct ExactItem {
    std::vector<std::int64_t> batch;
    Item item;
  };
  CallKey key;
  std::vector<Item> items;       // sorted; empty: the binding's fallback serves
  std::vector<ExactItem> exact;  // sorted; see Choices
  std::string why_fallback;      // a sentence, where no tuned problem's configuration serves
  bool failed = false;           // building it threw; it may succeed another time

  [[nodiscard]] const Item* pick(std::span<const std::int64_t> batch) const noexcept;
};

// What calls read: sorted by key.
struct Snapshot {
  std::vector<std::shared_ptr<const ChoiceList>> lists;
  [[nodiscard]] const ChoiceList* find(const CallKey& key) const noexcept;
};

}  // namespace hiptune::detail
