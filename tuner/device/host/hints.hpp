#pragma once

#include <string>

namespace hiptune::host {

// For names of HIP and CUDA that a compiler's log says it does not know: lines that name what hiptune_device.h has
// instead. Empty when there is nothing to say.
[[nodiscard]] std::string hints_for(const std::string& log);

}  // namespace hiptune::host
