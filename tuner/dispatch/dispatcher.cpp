#include "hiptune/dispatcher.hpp"

#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "dispatch/argument_types.hpp"
#include "dispatch/binding.hpp"
#include "problem/config.hpp"

namespace hiptune {
namespace {

Dtype require_dtype(std::string_view kernel, const Space& space, std::string_view name) {
  const std::optional<Dtype> dtype = parse_dtype(name);
  std::string known;
  for (Dtype declared : space.dtypes) {
    if (dtype == declared) return declared;
    known += (known.empty() ? "" : ", ") + to_string(declared);
  }
  throw bad_input("bind(\"" + std::string(kernel) + "\"): dtype " + std::string(name) + ": the kernel knows " + known);
}

Assignment parse_given_traits(const Space& space, const std::map<std::string, std::string>& traits) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : traits) texts.push_back(name + "=" + value);
  return parse_traits(space, texts);
}

// Runs an action that applications call. What devices throw is no part of their interface: it becomes an Error.
template <class Action>
auto translating(const Action& action) {
  try {
    return action();
  } catch (const DeviceLost& lost) {
    throw failed(std::string("the device was lost: ") + lost.what());
  } catch (const LaunchFailure& failure) {
    throw failed(failure.what());
  } catch (const KernelFault& fault) {
    throw failed(fault.what());
  }
}

}  // namespace

const char* to_string(Status status) {
  switch (status) {
    case Status::success:
      return "Success.";
    case Status::invalid_dimension:
      return "A dimension is negative, zero where it may not be, or too large.";
    case Status::invalid_stride:
      return "A row stride is shorter than a row, or is not the same for both buffers of a call in place.";
    case Status::invalid_scalar:
      return "A scalar is outside the range that the kernel's space declares.";
    case Status::null_pointer:
      return "A buffer is null.";
    case Status::unexpected_pointer:
      return "A buffer is not null, though the kernel was bound without it.";
    case Status::misaligned_pointer:
      return "A buffer does not begin at a multiple of its element's size.";
    case Status::not_ready:
      return "There is no plan for these dimensions yet; prepare() makes one.";
    case Status::launch_failed:
      return "The device refused the launch.";
    case Status::kernel_fault:
      return "The kernel broke a rule that the device checks.";
  }
  return "An unknown status.";
}

const char* to_string(Choice choice) {
  return choice == Choice::exact ? "exact" : choice == Choice::nearest ? "nearest" : "fallback";
}

namespace detail {
Status launch(const Binding& binding, void* stream, void** arguments) noexcept {
  return binding.launch(stream, arguments);
}
void forget(const Binding& binding, void* stream) noexcept { binding.forget(stream); }
void prepare(const Binding& binding, void* const* arguments) {
  translating([&] { binding.prepare(arguments); });
}
Explanation explain(const Binding& binding, void* const* arguments) {
  return translating([&] { return binding.explain(arguments); });
}
}  // namespace detail

Dispatcher::Dispatcher(const Options& options)
    : state_(translating([&] { return std::make_shared<detail::DispatcherState>(options); })) {}

const std::string& Dispatcher::device() const { return state_->device().target().id; }

Status UntypedKernel::operator()(void* stream, void* const* arguments) const noexcept {
  std::array<void*, detail::kMaxUntypedArguments + detail::kMaxWorkspaces> all;
  std::copy_n(arguments, names_.size(), all.begin());
  return detail::launch(*binding_, stream, all.data());
}

UntypedKernel Dispatcher::bind_untyped(std::string_view kernel, std::string_view dtype,
                                       const std::map<std::string, std::string>& traits) const {
  const Space space = state_->kernels().load(kernel).space;
  if (space.arguments.size() > detail::kMaxUntypedArguments)
    throw bad_input(
        fmt::format("{}: /arguments: {} of them, and an untyped call takes at most {}; bind it by its types",
                    space.file, space.arguments.size(), detail::kMaxUntypedArguments));
  std::vector<std::string> names;
  for (const Argument& argument : space.arguments) names.push_back(argument_name(argument));
  return {bind_types(kernel, dtype, traits, untyped_arguments(space)), std::move(names)};
}

std::shared_ptr<const detail::Binding> Dispatcher::bind_types(std::string_view kernel, std::string_view dtype,
                                                              const std::map<std::string, std::string>& traits,
                                                              const std::vector<detail::ArgumentType>& types) const {
  const Space space = state_->kernels().load(kernel).space;
  return translating([&] {
    return std::make_shared<detail::Binding>(state_, kernel, require_dtype(kernel, space, dtype),
                                             parse_given_traits(space, traits), types);
  });
}

}  // namespace hiptune
