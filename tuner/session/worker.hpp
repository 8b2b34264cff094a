#pragma once

namespace hiptune {

// `hiptune worker`: serves requests from the socket until the coordinator closes it, one JSON line each. Replies are
// any number of {"phase": …} lines and then one {"reply": …} or {"error": …}. Returns the process's exit code.
//
//   open    device, kernel paths, compiler        -> target, compiler version
//   prepare kernel, problem, seed                 -> nothing
//   trial   config, timing limits (none: no time) -> trial
//   copy    bytes, timing limits                  -> samples of the device's own copy
//   store   config, folder                        -> nothing: its code object lies in the store
//   dispatch …                                    -> see dispatch_check.hpp
[[nodiscard]] int serve_worker(int socket);

}  // namespace hiptune
