#pragma once

#include <array>
#include <cstdint>
#include <string>

// All that depends on the version of ROCm that hiptune is built against stands in rocm_version.cpp.
namespace hiptune::amd {

struct Properties {
  std::string name;          // "AMD Instinct MI210"; some versions leave it empty
  std::string architecture;  // the full target id: "gfx90a:sramecc+:xnack-"
  std::string pci_bus_id;    // "0000:c1:00.0"
  int wave_size = 0;
  int compute_units = 0;
  int max_block_threads = 0;
  std::int64_t lds_bytes = 0;  // per block
  std::array<std::int64_t, 3> max_grid{};
  std::int64_t l2_bytes = 0;
};

// Throws Error(failed) with the runtime's words.
[[nodiscard]] Properties properties_of(int device);

// Of the runtime that runs, which may be another than that of the build: "5.2.21153".
[[nodiscard]] std::string runtime_version();

}  // namespace hiptune::amd
