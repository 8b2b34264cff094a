#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

// Switching between stacks, with what the sanitizers must be told about it; all of that is empty in other builds.
namespace hiptune::host {

// A computation that does not run now: where it stands. Valid until it is switched to.
struct Context {
  boost::context::detail::fcontext_t where = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* fiber = nullptr;
#endif
};

namespace fiber_detail {

inline void announce([[maybe_unused]] Context& from, [[maybe_unused]] const Context& to, [[maybe_unused]] bool last) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.bottom, to.bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  from.fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

inline void arrive(const boost::context::detail::transfer_t& transfer, [[maybe_unused]] void* own_fake_stack) {
  Context& from = *static_cast<Context*>(transfer.data);
  from.where = transfer.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(own_fake_stack, &from.bottom, &from.bytes);
#endif
}

}  // namespace fiber_detail

// Continues at `to`; returns when somebody switches to `from`.
inline void switch_to(Context& from, const Context& to) {
  fiber_detail::announce(from, to, false);
  const auto transfer = boost::context::detail::jump_fcontext(to.where, &from);
#if defined(__SANITIZE_ADDRESS__)
  fiber_detail::arrive(transfer, from.fake_stack);
#else
  fiber_detail::arrive(transfer, nullptr);
#endif
}

// Continues at `to` for good: the stack of the caller is free once `to` runs. `scrap` outlives the switch.
[[noreturn]] inline void leave_for(Context& scrap, const Context& to) {
  fiber_detail::announce(scrap, to, true);
  boost::context::detail::jump_fcontext(to.where, &scrap);
  __builtin_unreachable();
}

// The first thing that a function does on a stack of its own.
inline void begin_fiber(const boost::context::detail::transfer_t& transfer) { fiber_detail::arrive(transfer, nullptr); }

}  // namespace hiptune::host
