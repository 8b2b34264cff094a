#include "amd/known_targets.hpp"

#include "amd/program.hpp"
#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

// An empty kernel takes 0.1 s to compile. The deadline is for a child that inherited a lock nobody will release.
constexpr std::chrono::seconds kDeadline{30};

bool compiles_empty_kernel(const std::string& architecture) {
  const CompileResult result = compile_with_hiprtc(empty_kernel(architecture));
  const auto* failure = std::get_if<CompileFailure>(&result);
  if (failure != nullptr) throw failed(failure->log);
  return true;
}

Error unknown(const std::string& architecture, const ChildEnd& end) {
  return unavailable(
      hiprtc_version() + " cannot compile an empty kernel for '" + architecture + "' (" + end.words + "); " +
      (end.in_time ? "it is misspelt (names are as gfx90a or gfx90a:xnack-), or needs a newer ROCm" : "try again"));
}

}  // namespace

CompileRequest empty_kernel(const std::string& architecture) {
  CompileRequest request;
  request.source = {"empty.hip", "extern \"C\" __global__ void empty() {}\n"};
  request.entry_points = {"empty"};
  request.architecture = architecture;
  return request;
}

void KnownTargets::require(const std::string& architecture) {
  const auto known = ends_.find(architecture);
  const ChildEnd end = known != ends_.end()
                           ? known->second
                           : run_in_child([&] { return compiles_empty_kernel(architecture); }, kDeadline);
  if (end.in_time) ends_[architecture] = end;  // a child that was late may have met a lock, and the next one may not
  if (!end.succeeded) throw unknown(architecture, end);
}

}  // namespace hiptune::amd
