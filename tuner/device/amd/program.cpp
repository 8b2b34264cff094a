#include "amd/program.hpp"

#include <dlfcn.h>
#include <hip/hiprtc.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "hiptune/error.hpp"

namespace hiptune::amd {
namespace {

void check(const char* call, hiprtcResult result) {
  if (result == HIPRTC_SUCCESS) return;
  throw failed(std::string(call) + ": " + hiprtcGetErrorString(result));
}

class Program {
 public:
  explicit Program(const CompileRequest& request);
  ~Program() { static_cast<void>(hiprtcDestroyProgram(&program_)); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] hiprtcResult compile(const std::string& architecture);
  [[nodiscard]] std::string log() const;
  [[nodiscard]] std::vector<std::byte> code() const;

 private:
  hiprtcProgram program_ = nullptr;
};

// The names and texts of headers as hipRTC takes them. It refuses an empty text.
struct Headers {
  explicit Headers(const std::vector<SourceFile>& given) {
    for (const SourceFile& header : given) add(header.name.c_str(), header.text.empty() ? "\n" : header.text.c_str());
    // hipRTC declares what this header does by itself, and has no such file. So templates that include it compile with
    // every compiler; a clang that stands in for hipRTC finds its own.
    add("hip/hip_runtime.h", "#pragma once\n#if !defined(__HIPCC_RTC__)\n#include_next <hip/hip_runtime.h>\n#endif\n");
  }
  void add(const char* name, const char* text) {
    names.push_back(name);
    texts.push_back(text);
  }
  std::vector<const char*> names, texts;
};

Program::Program(const CompileRequest& request) {
  const std::string source = "#line 1 \"" + request.source.name + "\"\n" + request.source.text;
  Headers headers(request.headers);
  check("hiprtcCreateProgram",
        hiprtcCreateProgram(&program_, source.c_str(), request.source.name.c_str(),
                            static_cast<int>(headers.names.size()), headers.texts.data(), headers.names.data()));
}

hiprtcResult Program::compile(const std::string& architecture) {
  const std::string target = "--offload-arch=" + architecture;
  std::array options{
      target.c_str(),
      "-O3",
      "-std=c++20",
      "-w",  // a log is read for its errors
      // Else HIP compiles a kernel without launch bounds for fewer threads than a block may have.
      "--gpu-max-threads-per-block=1024",
  };
  return hiprtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
}

std::string Program::log() const {
  std::size_t bytes = 0;
  check("hiprtcGetProgramLogSize", hiprtcGetProgramLogSize(program_, &bytes));
  std::string text(bytes, '\0');
  if (bytes > 0) check("hiprtcGetProgramLog", hiprtcGetProgramLog(program_, text.data()));
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::vector<std::byte> Program::code() const {
  std::size_t bytes = 0;
  check("hiprtcGetCodeSize", hiprtcGetCodeSize(program_, &bytes));
  std::vector<std::byte> code(bytes);
  check("hiprtcGetCode", hiprtcGetCode(program_, reinterpret_cast<char*>(code.data())));
  return code;
}

// The file that hipRTC was loaded from. Its name has the version of ROCm in full; hiprtcVersion says 9.0 for all of
// them, and the runtime's version cannot be asked for without opening the GPUs.
std::string library_name() {
  Dl_info info{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&hiprtcVersion), &info) == 0) return "of an unknown library";
  return std::filesystem::canonical(info.dli_fname, error).filename().string();
}

}  // namespace

std::string hiprtc_version() {
  int major = 0, minor = 0;
  check("hiprtcVersion", hiprtcVersion(&major, &minor));
  return "hipRTC " + std::to_string(major) + "." + std::to_string(minor) + " (" + library_name() + ")";
}

CompileResult compile_with_hiprtc(const CompileRequest& request) {
  Program program(request);
  const hiprtcResult result = program.compile(request.architecture);
  if (result == HIPRTC_SUCCESS) return CodeObject{program.code(), {}, {}};
  std::string log = program.log();
  if (log.empty()) check("hiprtcCompileProgram", result);
  return CompileFailure{without_folders(std::move(log))};
}

std::string without_folders(std::string log) {
  constexpr std::string_view kFolder = "/comgr-";  // of the code object manager, then /input/ or /include/ in it
  for (std::size_t at = log.find(kFolder); at != std::string::npos; at = log.find(kFolder, at)) {
    const std::size_t inner = log.find('/', at + kFolder.size());
    const std::size_t file = inner == std::string::npos ? inner : log.find('/', inner + 1);
    if (file == std::string::npos) break;
    const std::size_t before = log.find_last_of(" \n\t'\"(", at);
    at = before == std::string::npos ? 0 : before + 1;
    log.erase(at, file + 1 - at);
  }
  return log;
}

}  // namespace hiptune::amd
