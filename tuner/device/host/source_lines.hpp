#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hiptune::host {

// Where the source of a module's code at these offsets stands: "rmsnorm.hip:34", and of a function of the device layer
// the place that calls it, if it was inlined there. Needs addr2line of the binutils; where that is missing or knows
// nothing, "offset 0x1234 of the module". Does not fail.
[[nodiscard]] std::vector<std::string> source_lines(std::span<const std::byte> module,
                                                    const std::vector<std::uint32_t>& offsets,
                                                    const std::string& temporary_directory);

}  // namespace hiptune::host
