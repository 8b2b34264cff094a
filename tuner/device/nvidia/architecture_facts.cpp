#include "nvidia/architecture_facts.hpp"

#include <algorithm>
#include <charconv>

#include "nvidia/clusters.hpp"

namespace hiptune::nvidia {

namespace {

struct Row {
  int number;         // 90 of "sm_90a"
  int lds_kib;        // of a block that opts in
  int compute_units;  // of a typical product
};

// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": "Maximum amount of shared memory
// per thread block".
constexpr Row kRows[] = {
    {75, 64, 40},     // T4
    {80, 163, 108},   // A100
    {86, 99, 84},     // A10 has 72, RTX 3090 82, A40 84
    {87, 163, 16},    // Orin
    {89, 99, 142},    // L40S
    {90, 227, 132},   // H100, H200
    {100, 227, 148},  // B200
    {103, 227, 148},  // B300
    {110, 227, 20},   // Thor
    {120, 99, 170},   // RTX 5090
    {121, 99, 48},    // GB10
};
// Of an architecture that is not listed: what a block has everywhere without opting in.
constexpr Row kOther{0, 48, 16};

int number_of(const std::string& architecture) {
  int number = 0;
  const std::size_t digits = std::min(architecture.find_first_of("0123456789"), architecture.size());
  std::from_chars(architecture.data() + digits, architecture.data() + architecture.size(), number);
  return number;
}

Row row_of(int number) {
  for (const Row& row : kRows)
    if (row.number == number) return row;
  return kOther;
}

}  // namespace

TargetFacts facts_of(const std::string& architecture) {
  const int number = number_of(architecture);
  const Row row = row_of(number);
  TargetFacts facts;
  facts.wave_size = 32;
  facts.lds_bytes = row.lds_kib * 1024;
  facts.compute_units = row.compute_units;
  facts.max_cluster = max_cluster(number);
  facts.max_block_threads = 1024;
  facts.max_grid_x = 2147483647;
  facts.max_grid_yz = 65535;
  return facts;
}

}  // namespace hiptune::nvidia
