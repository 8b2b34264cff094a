#include "dispatch/ready_plan.hpp"

#include <algorithm>
#include <limits>

#include "hiptune/error.hpp"
#include "problem/problem_buffers.hpp"

namespace hiptune::detail {
namespace {

bool mentions_any(const Expression& expression, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return expression.mentions(name); });
}

// An expression that fixes part of a launch for all calls, and yet depends on a dimension.
const Expression* dependent_part(const LaunchRule& rule, const std::vector<std::string>& dimensions) {
  std::vector<const Expression*> parts{&rule.dynamic_lds, &rule.cluster};
  for (const Expression& block : rule.block) parts.push_back(&block);
  if (rule.when) parts.push_back(&*rule.when);
  const auto found =
      std::ranges::find_if(parts, [&](const Expression* part) { return mentions_any(*part, dimensions); });
  return found == parts.end() ? nullptr : *found;
}

// make_plan clamps the grids that mention a varying dimension, but a template loops only over batch dimensions.
void unclamp(const LaunchRule& rule, const std::vector<std::string>& batch, LaunchPlan& launch) {
  for (std::size_t i = 0; i < 3; ++i)
    if (i >= rule.grid.size() || !mentions_any(rule.grid[i], batch))
      launch.grid_limit[i] = std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::size_t ReadyPlan::WorkspaceSize::bytes(std::span<const std::int64_t> varying) const noexcept {
  return static_cast<std::size_t>(std::max<std::int64_t>(elements.evaluate(varying), 1)) *
         static_cast<std::size_t>(element_bytes);
}

ReadyPlan make_ready(Device& device, const Space& space, const Problem& problem, const Config& config,
                     const CodeObject& code, const Plan& plan, const std::vector<std::string>& varying) {
  ReadyPlan ready{config, LoadedPlan(device, code, plan), {}};
  Names constants = names_of(space, problem, device.target().facts, config);
  for (const std::string& name : varying) constants.erase(name);
  for (const Workspace& workspace : space.workspaces)
    ready.workspaces.push_back({ClosedForm(workspace.extent, constants, varying), element_bytes(workspace, problem)});
  return ready;
}

UniversalPlan make_universal_plan(const Space& space, const Problem& problem, const TargetFacts& facts) {
  const std::vector<std::string> dimensions = dimension_names(space), batch = space.batch_dimensions();
  for (const LaunchRule& rule : space.plan)
    if (const Expression* part = dependent_part(rule, dimensions))
      return {std::nullopt, part->place().text() + ": \"" + part->text() + "\" depends on a dimension"};
  Space any_shape = space;
  for (Dimension& dimension : any_shape.dimensions) dimension.batch = true;
  try {
    Plan plan;
    for (const LaunchRule& rule : space.plan) {  // one by one: a condition may leave a rule out
      any_shape.plan = {rule};
      for (LaunchPlan& launch : make_plan(any_shape, problem, facts, space.fallback).launches) {
        unclamp(rule, batch, launch);
        plan.launches.push_back(std::move(launch));
      }
    }
    for (const Workspace& workspace : space.workspaces)
      (void)ClosedForm(workspace.extent, names_of(space, problem, facts, space.fallback), dimensions);
    return {std::move(plan), ""};
  } catch (const Error& error) {  // an expression that is no closed form of all dimensions
    return {std::nullopt, error.what()};
  }
}

const ChoiceList::Item* ChoiceList::pick(std::span<const std::int64_t> batch) const noexcept {
  if (items.empty()) return nullptr;
  const auto same = std::lower_bound(exact.begin(), exact.end(), batch, [](const ExactItem& one, auto wanted) {
    return std::ranges::lexicographical_compare(one.batch, wanted);
  });
  if (same != exact.end() && std::ranges::equal(same->batch, batch)) return &same->item;
  const auto item = std::lower_bound(items.begin(), items.end() - 1, batch_size(batch),
                                     [](const Item& one, std::int64_t value) { return one.up_to < value; });
  return &*item;
}

const ChoiceList* Snapshot::find(const CallKey& key) const noexcept {
  const auto list = std::lower_bound(lists.begin(), lists.end(), key, [](const auto& candidate, const CallKey& wanted) {
    return candidate->key < wanted;
  });
  return list != lists.end() && (*list)->key == key ? list->get() : nullptr;
}

}  // namespace hiptune::detail
