#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hiptune/error.hpp"
#include "hiptune/options.hpp"

namespace hiptune {

enum class Status {
  success,
  invalid_dimension,   // negative, below its minimum (cols = 0), or above its maximum
  invalid_stride,      // shorter than a row, be there one row or many; in place: not the same for both buffers
  invalid_scalar,      // outside the range that the kernel's space declares, NaN included
  null_pointer,        // a buffer is null though the problem is not empty
  unexpected_pointer,  // a buffer is not null though a trait of bind says that there is none
  misaligned_pointer,  // a buffer does not begin at a multiple of its element's size
  not_ready,           // there is no plan for these dimensions yet, and no fallback that serves any; see prepare()
  launch_failed,       // the device refused; last_error() has its words
  kernel_fault,        // the kernel broke a rule that the device checks; last_error() has its words
};
// A sentence.
[[nodiscard]] const char* to_string(Status status);
// What was wrong with the calling thread's last call that did not succeed: "rmsnorm: cols is 0, and must be from 1 to
// 16777216".
[[nodiscard]] const std::string& last_error();

// Where the configuration of a call comes from.
enum class Choice { exact, nearest, fallback };
[[nodiscard]] const char* to_string(Choice choice);  // "exact"

struct Explanation {
  Choice choice = Choice::fallback;
  std::string config;     // "REDUCTION=lds_tree BLOCK_SIZE=256"; empty where nothing is launched
  std::string tuned_for;  // the problem of the cache entry; empty for the fallback
  std::string reason;     // a sentence
};

namespace detail {

enum class ArgumentKind { pointer_to_const, pointer, integer, floating };

// A parameter type as the binding sees it. `bytes` is the pointee's size for pointers, 0 for void.
struct ArgumentType {
  ArgumentKind kind;
  std::size_t bytes;
  bool floating_pointee = false;
};

template <class T>
constexpr ArgumentType argument_type() {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    using Plain = std::remove_cv_t<Pointee>;
    constexpr auto kind = std::is_const_v<Pointee> ? ArgumentKind::pointer_to_const : ArgumentKind::pointer;
    if constexpr (std::is_void_v<Plain>)
      return {kind, 0};
    else
      return {kind, sizeof(Plain), std::is_floating_point_v<Plain>};
  } else {
    static_assert(std::is_arithmetic_v<T>, "kernel arguments are pointers and numbers");
    return {std::is_floating_point_v<T> ? ArgumentKind::floating : ArgumentKind::integer, sizeof(T)};
  }
}

class Binding;
class DispatcherState;

inline constexpr std::size_t kMaxWorkspaces = 8;
// Of an untyped kernel, whose calls copy as many addresses to the stack.
inline constexpr std::size_t kMaxUntypedArguments = 32;

// `arguments` has room for kMaxWorkspaces more entries after the call's own.
[[nodiscard]] Status launch(const Binding& binding, void* stream, void** arguments) noexcept;
void prepare(const Binding& binding, void* const* arguments);
void forget(const Binding& binding, void* stream) noexcept;
[[nodiscard]] Explanation explain(const Binding& binding, void* const* arguments);

}  // namespace detail

// A kernel bound to a signature: the arguments of the space, in order. Cheap to copy; keeps the dispatcher's state
// alive. Calls are safe from many threads.
template <class... Args>
class BoundKernel {
 public:
  // Launches the best known configuration on the stream (null: the default stream). Buffers are device pointers,
  // strides are in elements. An output may begin at the address of an input only where a trait of the kernel's space is
  // about the two (source "aliasing"), and then with the same stride; otherwise buffers must not overlap. A batch
  // dimension of 0 is success and launches nothing. Takes no lock, allocates nothing, compiles nothing. For non-batch
  // dimensions (or an alignment) never seen before it uses the fallback, until the nearest tuned configuration is built
  // in the background; prepare() builds it at once.
  //
  // A configuration with workspaces keeps some for each thread and stream: the first such call, and one that needs more
  // than those before it, allocates, in a capture too. A captured graph uses these workspaces whenever it is launched:
  // launch it where it runs before or after what else uses them, such as on the stream that it was captured from.
  [[nodiscard]] Status operator()(void* stream, Args... args) const noexcept {
    void* arguments[sizeof...(Args) + detail::kMaxWorkspaces] = {address(args)...};
    return detail::launch(*binding_, stream, arguments);
  }

  // Builds what calls with these non-batch dimensions and alignments need, now. Launches nothing, reads no buffer.
  // Throws Error. A binding keeps at most 256 such sets of dimensions; the fallback serves beyond.
  void prepare(Args... args) const {
    void* arguments[] = {address(args)...};
    detail::prepare(*binding_, arguments);
  }

  // Releases the workspaces that calls on the stream made, those of captured graphs included. For streams that come and
  // go: call it before the stream is destroyed, when its work has ended and nobody calls on it.
  void forget(void* stream) const noexcept { detail::forget(*binding_, stream); }

  // Which configuration such a call uses and why; prepares it. Throws Error.
  [[nodiscard]] Explanation explain(Args... args) const {
    void* arguments[] = {address(args)...};
    return detail::explain(*binding_, arguments);
  }

 private:
  friend class Dispatcher;
  explicit BoundKernel(std::shared_ptr<const detail::Binding> binding) : binding_(std::move(binding)) {}

  template <class T>
  static void* address(T& value) {
    return const_cast<std::remove_const_t<T>*>(&value);
  }

  std::shared_ptr<const detail::Binding> binding_;
};

// A kernel bound without the types of its arguments, for callers that have none at compile time: interpreters, other
// languages. `arguments[i]` is the address of the i-th argument's value, in the order and of the type that the space
// declares: a buffer's value is its pointer, dimensions and strides are std::int64_t. Nothing checks that they are so.
// All else is as for BoundKernel.
class UntypedKernel {
 public:
  [[nodiscard]] Status operator()(void* stream, void* const* arguments) const noexcept;
  void prepare(void* const* arguments) const { detail::prepare(*binding_, arguments); }
  void forget(void* stream) const noexcept { detail::forget(*binding_, stream); }
  [[nodiscard]] Explanation explain(void* const* arguments) const { return detail::explain(*binding_, arguments); }

  // The names of the arguments, in order.
  [[nodiscard]] const std::vector<std::string>& arguments() const noexcept { return names_; }

 private:
  friend class Dispatcher;
  UntypedKernel(std::shared_ptr<const detail::Binding> binding, std::vector<std::string> names)
      : binding_(std::move(binding)), names_(std::move(names)) {}

  std::shared_ptr<const detail::Binding> binding_;
  std::vector<std::string> names_;
};

// Opens a device and launches kernels with the configurations that the caches hold for it: the user's over the shipped
// ones. Safe to use from many threads.
class Dispatcher {
 public:
  // Throws Error when the device is not there.
  explicit Dispatcher(const Options& options = Options::from_environment());

  // Checks the signature against the kernel's space once. `traits` are those that a caller gives ("WEIGHT" -> "f32");
  // alignment, and whether a call is in place, are found from each call. A buffer that a trait leaves out ("none") is
  // passed as null. Elements of f16 and bf16 are pointed to by any type of 16 bits, or void. Reads the caches once, and
  // compiles or loads the fallback. Throws Error naming the argument that differs, or that neither a compiler nor
  // stored code is there.
  //
  //   auto rmsnorm = dispatcher.bind<const float*, const float*, float*, std::int64_t, std::int64_t, std::int64_t,
  //                                  std::int64_t, float>("rmsnorm", "f32");
  template <class... Args>
  [[nodiscard]] BoundKernel<Args...> bind(std::string_view kernel, std::string_view dtype,
                                          const std::map<std::string, std::string>& traits = {}) const {
    return BoundKernel<Args...>(bind_types(kernel, dtype, traits, {detail::argument_type<Args>()...}));
  }

  // As bind, and takes the types from the space. Throws Error also where the kernel has more than 32 arguments.
  [[nodiscard]] UntypedKernel bind_untyped(std::string_view kernel, std::string_view dtype,
                                           const std::map<std::string, std::string>& traits = {}) const;

  // The id of the device in use: "host".
  [[nodiscard]] const std::string& device() const;

 private:
  [[nodiscard]] std::shared_ptr<const detail::Binding> bind_types(std::string_view kernel, std::string_view dtype,
                                                                  const std::map<std::string, std::string>& traits,
                                                                  const std::vector<detail::ArgumentType>& types) const;

  std::shared_ptr<detail::DispatcherState> state_;
};

}  // namespace hiptune
