#pragma once

namespace hiptune {

// `hiptune worker`: serves requests from the socket until the coordinator closes it, one JSON line each. Replies are
// any number of {"phase": …} lines and then one {"reply": …}, {"error": …} or, as its last, {"lost_device": …}. Returns
// the process's exit code.
//
//   open    device, architecture or target of another worker's device, kernel paths, compiler, folder of code objects
//           -> target, compiler version
//   prepare kernel, problem, seed, what to check  -> nothing
//   compile_oracle kernel, problem                -> nothing
//   trial   config, timing limits (none: no time) -> trial
//   finals  configs, objective, limits, seed      -> rounds, failures; see Bench::finals
//   compile kernel, problem, config, code file    -> trial; needs an architecture only
//   copy    bytes, timing limits                  -> samples of the device's own copy
//   store   kernel, problem, config, folder       -> nothing: its code object lies in the store
//   dispatch …                                    -> see dispatch_check.hpp
//   survey  backend, devices or compiler          -> see survey.hpp; nothing need be open
[[nodiscard]] int serve_worker(int socket);

}  // namespace hiptune
