#pragma once

#include <istream>
#include <string>

namespace hiptune::host {

// What tells apart machines whose code, compiled for the very CPU, must not be exchanged, though their CPUs may have
// the same name: the lines of /proc/cpuinfo that list the first CPU's features, sorted. A kernel of another release may
// list more of them; then code is compiled again. Empty where nothing is known.
[[nodiscard]] std::string cpu_features();
[[nodiscard]] std::string cpu_features(std::istream& cpuinfo);

}  // namespace hiptune::host
