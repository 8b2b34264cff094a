#include "nvidia/program.hpp"

#include "hiptune/error.hpp"

namespace hiptune::nvidia {

namespace {

struct Version {
  int major = 0;
  int minor = 0;
};

Version version() {
  Version version;
  check("nvrtcVersion", nvrtcVersion(&version.major, &version.minor));
  return version;
}

}  // namespace

std::string nvrtc_version() {
  return "NVRTC " + std::to_string(version().major) + "." + std::to_string(version().minor);
}

int nvrtc_major() { return version().major; }

void check(const char* call, nvrtcResult result) {
  if (result != NVRTC_SUCCESS) throw failed(std::string(call) + ": " + nvrtcGetErrorString(result));
}

Program::Program(const SourceFile& source, const std::vector<SourceFile>& headers) {
  std::vector<const char*> texts, names;
  for (const SourceFile& header : headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  check("nvrtcCreateProgram", nvrtcCreateProgram(&program_, source.text.c_str(), source.name.c_str(),
                                                 static_cast<int>(headers.size()), texts.data(), names.data()));
}

Program::~Program() { static_cast<void>(nvrtcDestroyProgram(&program_)); }

nvrtcResult Program::compile(const std::vector<std::string>& options) {
  std::vector<const char*> texts;
  texts.reserve(options.size());
  for (const std::string& option : options) texts.push_back(option.c_str());
  return nvrtcCompileProgram(program_, static_cast<int>(texts.size()), texts.data());
}

std::string Program::log() const {
  std::size_t size = 0;  // with the final 0
  check("nvrtcGetProgramLogSize", nvrtcGetProgramLogSize(program_, &size));
  std::string text(size, '\0');
  check("nvrtcGetProgramLog", nvrtcGetProgramLog(program_, text.data()));
  std::erase(text, '\0');  // also stands between what ptxas reports and its errors
  return text;
}

std::vector<std::byte> Program::cubin() const {
  std::size_t size = 0;
  check("nvrtcGetCUBINSize", nvrtcGetCUBINSize(program_, &size));
  std::vector<std::byte> bytes(size);
  check("nvrtcGetCUBIN", nvrtcGetCUBIN(program_, reinterpret_cast<char*>(bytes.data())));
  return bytes;
}

}  // namespace hiptune::nvidia
