#include "nvidia/compiler.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "hiptune/error.hpp"
#include "nvidia/architecture_facts.hpp"
#include "nvidia/cubin.hpp"
#include "nvidia/hip_header.hpp"
#include "nvidia/program.hpp"
#include "nvidia/ptxas_report.hpp"

namespace hiptune::nvidia {

namespace {

constexpr int kFirstWithCache = 13;

std::vector<std::string> options_for(const std::string& architecture) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + architecture,
      "-std=c++20",
      "-w",                   // a log is read for its errors
      "--ptxas-options=-v",   // registers, spills and the like
      "--no-source-include",  // else "name.h" may come from the current folder
  };
  if (nvrtc_major() >= kFirstWithCache) options.emplace_back("--no-cache");  // every time is a compiler's, with its log
  return options;
}

std::vector<SourceFile> headers_of(const CompileRequest& request) {
  std::vector<SourceFile> headers = request.headers;
  const std::string name = "hip/hip_runtime.h";
  if (std::ranges::count(headers, name, &SourceFile::name) == 0) headers.push_back({name, kHipHeader});
  return headers;
}

std::string known_architectures() {
  int count = 0;
  check("nvrtcGetNumSupportedArchs", nvrtcGetNumSupportedArchs(&count));
  std::vector<int> numbers(static_cast<std::size_t>(count));
  check("nvrtcGetSupportedArchs", nvrtcGetSupportedArchs(numbers.data()));
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(number);
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What is not the source's fault.
void require_working_compiler(nvrtcResult result, const std::string& architecture, const std::string& log) {
  if (result == NVRTC_SUCCESS || result == NVRTC_ERROR_COMPILATION) return;
  if (result == NVRTC_ERROR_INVALID_OPTION)
    throw unavailable(nvrtc_version() + " cannot compile for '" + architecture + "' (" + first_line(log) +
                      "); it knows " + known_architectures() +
                      ". Name one of these, or build hiptune with a CUDA toolkit that knows '" + architecture + "'");
  if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    throw unavailable(nvrtc_version() + " cannot run: " + first_line(log) +
                      "; libnvrtc-builtins of the same version must lie beside libnvrtc");
  check("nvrtcCompileProgram", result);
}

std::string without_report(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("ptxas info") && !line.starts_with("ptxas         .")) text += line + "\n";
  return text;
}

std::optional<std::string> missing_entry(const CompileRequest& request, const std::vector<std::byte>& cubin) {
  for (const std::string& entry : request.entry_points)
    if (!has_kernel(cubin, entry)) return entry;
  return std::nullopt;
}

std::vector<Resources> resources_of(const CompileRequest& request, const std::string& log) {
  const std::map<std::string, Resources> report = read_ptxas_report(log);
  std::vector<Resources> resources;
  for (const std::string& entry : request.entry_points) {
    const auto found = report.find(entry);
    resources.push_back(found == report.end() ? Resources() : found->second);
  }
  return resources;
}

}  // namespace

std::string NvrtcCompiler::version() const { return nvrtc_version(); }

TargetFacts NvrtcCompiler::facts(const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  if (!known_.contains(architecture)) {
    Program empty({"empty.hip", "extern \"C\" __global__ void empty() {}\n"}, {});
    const nvrtcResult result = empty.compile(options_for(architecture));
    require_working_compiler(result, architecture, empty.log());
    check("nvrtcCompileProgram", result);
    known_.insert(architecture);
  }
  return facts_of(architecture);
}

CompileResult NvrtcCompiler::compile(const CompileRequest& request) {
  Program program(request.source, headers_of(request));
  const nvrtcResult result = program.compile(options_for(request.architecture));
  const std::string log = program.log();
  require_working_compiler(result, request.architecture, log);
  if (result != NVRTC_SUCCESS) return CompileFailure{without_report(log)};
  CodeObject code;
  code.bytes = program.cubin();
  if (const auto entry = missing_entry(request, code.bytes)) return no_entry_point(request.source.name, *entry);
  code.isa_hash = hash_code(code.bytes);
  code.resources = resources_of(request, log);
  return code;
}

}  // namespace hiptune::nvidia
