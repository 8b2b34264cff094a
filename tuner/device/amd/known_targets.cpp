#include "amd/known_targets.hpp"

#include "amd/program.hpp"
#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

// An empty kernel takes 0.1 s to compile. The deadline is for a child that inherited a lock nobody will release.
constexpr std::chrono::seconds kDeadline{30};

std::string compile_empty_kernel(const std::string& architecture) {
  const CompileResult result = compile_with_hiprtc(empty_kernel(architecture));
  const auto* failure = std::get_if<CompileFailure>(&result);
  if (failure != nullptr) throw failed(failure->log);
  return "";
}

Error unknown(const std::string& architecture, const ChildEnd& end) {
  return unavailable(hiprtc_version() + " cannot compile an empty kernel for '" + architecture + "' (" + end.words +
                     "). " +
                     (end.in_time ? "Where nothing else is said, the name is misspelt (names are as gfx90a or "
                                    "gfx90a:xnack-) or needs a newer ROCm"
                                  : "Try again"));
}

}  // namespace

CompileRequest empty_kernel(const std::string& architecture) {
  CompileRequest request;
  request.source = {"empty.hip", "extern \"C\" __global__ void empty() {}\n"};
  request.entry_points = {"empty"};
  request.architecture = architecture;
  return request;
}

// Failures are not remembered: a full disk or a lack of memory may pass.
void KnownTargets::require(const std::string& architecture) {
  if (known_.contains(architecture)) return;
  const ChildEnd end = run_in_child([&] { return compile_empty_kernel(architecture); }, kDeadline);
  if (!end.result) throw unknown(architecture, end);
  known_.insert(architecture);
}

}  // namespace hiptune::amd
