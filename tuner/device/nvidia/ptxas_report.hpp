#pragma once

#include <map>
#include <string>
#include <string_view>

#include "device/compiler.hpp"

namespace hiptune::nvidia {

// What `--ptxas-options=-v` says of each function. A number that it doesn't give stays unknown, except LDS, which it
// leaves out where there is none. Spills are in 32-bit registers: the bytes stored or loaded, whichever are more.
[[nodiscard]] std::map<std::string, Resources> read_ptxas_report(std::string_view log);

}  // namespace hiptune::nvidia
