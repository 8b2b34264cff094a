#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backends.hpp"
#include "gate/gate.hpp"
#include "problem/kernel.hpp"

namespace hiptune::test {

inline Kernel shipped_kernel(const std::string& name) { return KernelPath({}, {}).load(name); }
// RMSNorm with two tunables, REDUCTION and BLOCK_SIZE: a small kernel for tests.
inline Kernel row_rms() { return KernelPath({HIPTUNE_SOURCE_DIR "/tests/kernels"}, {}).load("row_rms"); }

// A device under test, the CPU for the oracle, and their compilers: what a gate needs, in this process.
struct GateBench {
  explicit GateBench(const std::string& id)
      : device(open_device(id, {})),
        compiler(open_compiler(device->target().backend, {})),
        host(open_device("host", {})),
        host_compiler(open_compiler("host", {})) {}

  [[nodiscard]] const TargetFacts& facts() const { return device->target().facts; }

  // The cases at the problem's own shape, and the small ones if asked for.
  [[nodiscard]] Gate gate(const Kernel& kernel, const Problem& problem, bool small) const {
    Gate gate(kernel, *device, *compiler);
    for (GateCase& one : cases(kernel, problem, small)) {
      const Judged judged = one.at_tuned_shape ? Judged::on_device : Judged::on_host;
      gate.add(std::move(one), judged);
    }
    return gate;
  }

  // The same cases, all judged in one place.
  [[nodiscard]] Gate gate(const Kernel& kernel, const Problem& problem, bool small, Judged judged) const {
    Gate gate(kernel, *device, *compiler);
    for (GateCase& one : cases(kernel, problem, small)) {
      const Judged where = one.rows_far_apart ? Judged::on_host : judged;
      gate.add(std::move(one), where);
    }
    return gate;
  }

  // The cases at the problem's own shape, of another seed.
  [[nodiscard]] Gate gate(const Kernel& kernel, const Problem& problem, const Oracle& oracle,
                          std::uint64_t seed) const {
    Gate gate(kernel, *device, *compiler);
    for (std::size_t i = 0; i < kTunedSets; ++i)
      gate.add(tuned_case(kernel, problem, facts(), oracle, seed, i), Judged::on_device);
    return gate;
  }

  [[nodiscard]] std::vector<GateCase> cases(const Kernel& kernel, const Problem& problem, bool small) const {
    const Oracle oracle(kernel, problem, *host, *host_compiler);
    std::vector<GateCase> cases;
    for (std::size_t i = 0; i < kTunedSets; ++i)
      cases.push_back(tuned_case(kernel, problem, facts(), oracle, kSeed, i));
    if (small)
      for (GateCase& one : small_cases(kernel, problem, facts(), oracle, kSeed)) cases.push_back(std::move(one));
    return cases;
  }

  // Throws std::runtime_error with the log when the variant does not compile: a test's own kernel must.
  [[nodiscard]] CodeObject compile(const Variant& variant) const {
    CompileResult result =
        compiler->compile({variant.source, variant.headers, variant.entry_points, device->target().architecture});
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(result));
  }

  static constexpr std::uint64_t kSeed = 7;
  std::unique_ptr<Device> device;
  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<Device> host;
  std::unique_ptr<Compiler> host_compiler;
};

}  // namespace hiptune::test
