#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What the operating system says about this machine. No function fails: where nothing is known, it says so below.
namespace hiptune::host {

[[nodiscard]] std::string machine();         // "x86_64"
[[nodiscard]] std::string kernel_release();  // "Linux 6.1.0-18-amd64"
[[nodiscard]] std::string cpu_name();        // the model's name, else machine()
[[nodiscard]] int usable_cores();            // that this process may run on; at least 1
// The system's numbers of those cores, ascending; none where it does not say.
[[nodiscard]] std::vector<int> usable_core_numbers();

[[nodiscard]] std::int64_t last_level_cache_bytes();  // 0: unknown
// Memory that can be had without swapping, within the limits of the process's control groups.
[[nodiscard]] std::int64_t available_memory_bytes();

}  // namespace hiptune::host
