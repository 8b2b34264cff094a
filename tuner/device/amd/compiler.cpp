#include "amd/compiler.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "amd/code_object.hpp"
#include "amd/known_targets.hpp"
#include "amd/limits.hpp"
#include "amd/program.hpp"
#include "device/file_name.hpp"
#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

// Nothing of a compilation depends on the number: spaces whose constraints do are tuned where a device is.
constexpr int kTypicalComputeUnits = 104;

// hipRTC has one state per process, so all compilers share what is known of it.
struct Shared {
  std::mutex mutex;
  KnownTargets targets;
  std::map<std::string, int> wave_sizes;  // of architectures
};
Shared& shared() {
  static Shared state;
  return state;
}

void check_names(const CompileRequest& request) {
  require_plain_file_name(request.source.name);
  for (const SourceFile& header : request.headers) require_plain_file_name(header.name);
}

constexpr char kIsCode = 'c', kIsLog = 'l';

std::string to_text(const CompileResult& result) {
  if (const auto* failure = std::get_if<CompileFailure>(&result)) return kIsLog + failure->log;
  const std::vector<std::byte>& bytes = std::get<CodeObject>(result).bytes;
  return kIsCode + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

CompileResult from_text(const std::string& text) {
  if (text.at(0) == kIsLog) return CompileFailure{text.substr(1)};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return CodeObject{{first + 1, first + text.size()}, "", {}};
}

// LLVM ends its process where it cannot go on, be it for want of disk space: that must not be an application's.
CompileResult compile_in_child(const CompileRequest& request) {
  constexpr std::chrono::minutes kDeadline{30};  // whoever is in more of a hurry kills this process
  const ChildEnd end = run_in_child([&] { return to_text(compile_with_hiprtc(request)); }, kDeadline);
  if (end.result) return from_text(*end.result);
  return CompileFailure{request.source.name + ": error: " + hiprtc_version() + " gave up: " + end.words + "\n"};
}

int wave_size_from(const CodeObject& code, const std::string& architecture) {
  const auto kernels = metadata_of(code.bytes);
  if (kernels.size() == 1 && kernels.begin()->second.wave_size) return *kernels.begin()->second.wave_size;
  throw failed(hiprtc_version() + " does not say how wide a wave of '" + architecture + "' is");
}

int wave_size_of(const std::string& architecture) {
  const std::lock_guard lock(shared().mutex);
  const auto known = shared().wave_sizes.find(architecture);
  if (known != shared().wave_sizes.end()) return known->second;
  shared().targets.require(architecture);
  const CompileResult result = compile_in_child(empty_kernel(architecture));
  if (const auto* failure = std::get_if<CompileFailure>(&result)) throw failed(failure->log);
  return shared().wave_sizes[architecture] = wave_size_from(std::get<CodeObject>(result), architecture);
}

CompileResult compile_for_known_target(const CompileRequest& request) {
  const std::lock_guard lock(shared().mutex);
  shared().targets.require(request.architecture);
  return compile_in_child(request);
}

// What is known of each entry point; the log of a failure names the first that the code object lacks.
CompileResult describe(CodeObject code, const CompileRequest& request) {
  const auto kernels = metadata_of(code.bytes);
  for (const std::string& entry : request.entry_points) {
    const auto found = kernels.find(entry);
    if (found == kernels.end()) return no_entry_point(request.source.name, entry);
    code.resources.push_back(found->second.resources);
  }
  code.isa_hash = isa_hash_of(code.bytes);
  return code;
}

}  // namespace

std::string HiprtcCompiler::version() const { return hiprtc_version(); }

TargetFacts HiprtcCompiler::facts(const std::string& architecture) {
  TargetFacts facts = common_facts();
  facts.lds_bytes = lds_bytes_of(architecture);
  facts.wave_size = wave_size_of(architecture);
  facts.compute_units = kTypicalComputeUnits;
  return facts;
}

CompileResult HiprtcCompiler::compile(const CompileRequest& request) {
  check_names(request);
  CompileResult result = compile_for_known_target(request);
  if (auto* code = std::get_if<CodeObject>(&result)) return describe(std::move(*code), request);
  return result;
}

}  // namespace hiptune::amd
