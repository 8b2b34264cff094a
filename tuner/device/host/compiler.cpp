#include "device/host/compiler.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "device/file_name.hpp"
#include "device/host/cpu.hpp"
#include "device/host/device.hpp"
#include "device/host/elf_image.hpp"
#include "device/host/process.hpp"
#include "device/host/temporary_folder.hpp"
#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

constexpr const char* kOutput = "hiptune-module.so";

const std::vector<std::string>& flags() {
  static const std::vector<std::string> list = {
      "-std=c++20",
      "-DHIPTUNE_HOST=1",
      "-O2",  // -O3 gains nothing on kernels with barriers
      "-march=native",
      "-ffp-contract=off",  // no fused multiply-add that the source does not ask for
      "-fno-math-errno",    // sqrt is one instruction, as on a GPU, and not a call
      "-fno-builtin",       // a kernel may have the name of a C function, such as index; __builtin_* still are builtin
      "-fno-exceptions",    // a kernel cannot throw; no tables for it
      "-fno-rtti",
      "-fno-stack-protector",
      "-fstack-clash-protection",  // a large array cannot step over the guard below a fiber's stack
      "-fno-asynchronous-unwind-tables",
      "-fcf-protection=none",  // this and the two before: what some distributions turn on costs time in every thread
      "-fvisibility=hidden",   // a kernel's name must not clash with a function of the process
      "-fPIC",
      "-shared",
      "-nostdlib",            // no start-up code; the libraries that may be needed are named at the end
      "-Wl,-z,defs",          // what is called and is nowhere fails here, by name, and not when it is loaded
      "-Wl,--build-id=none",  // equal input, equal bytes
      "-Wl,-z,noexecstack",
      "-w",  // a log is read for its errors
      "-fmax-errors=20",
      "-fdiagnostics-color=never",
  };
  return list;
}

void check_file_name(const std::string& name) {
  require_plain_file_name(name);
  if (name == kOutput) throw bad_input("'" + name + "' is the name of the compiler's output; give another");
}

int wave_size_of(const std::string& wanted) {
  for (const int wave_size : {32, 64})
    if (wanted == architecture(wave_size)) return wave_size;
  throw bad_input("the host compiler cannot build for '" + wanted + "'; it builds for " + architecture(32) + " and " +
                  architecture(64));
}

// The source, and what makes it loadable, on lines that are not the source's own.
std::string module_text(const CompileRequest& request) {
  std::string text = request.source.text;
  text += "\n#line 1 \"entry points of " + request.source.name + "\"\n#include \"hiptune_device.h\"\n";
  text += "HIPTUNE_HOST_MODULE(" + std::to_string(wave_size_of(request.architecture)) + ")\n";
  for (const std::string& entry : request.entry_points) text += "HIPTUNE_HOST_ENTRY(" + entry + ")\n";
  return text;
}

void write_sources(const CompileRequest& request, const TemporaryFolder& folder) {
  check_file_name(request.source.name);
  folder.write(request.source.name, module_text(request));
  for (const SourceFile& header : request.headers) {
    check_file_name(header.name);
    folder.write(header.name, header.text);
  }
}

ProcessResult run_compiler(const DeviceSettings& settings, const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder) {
  std::vector<std::string> command = {settings.cxx_compiler};
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    return run_process(command, folder);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unavailable) throw;
    throw unavailable("no C++ compiler '" + settings.cxx_compiler +
                      "' found on PATH; install g++, or name a compiler that is there in HIPTUNE_CXX (" + error.what() +
                      ")");
  }
}

// The linker names object files by their full path.
std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || text.empty()) throw failed("the C++ compiler reported success but wrote no code object");
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

std::string architecture_prefix() { return machine() + "-wave"; }

std::string architecture(int wave_size) { return architecture_prefix() + std::to_string(wave_size); }

TargetFacts HostCompiler::facts(const std::string& architecture) { return facts_of(wave_size_of(architecture)); }

std::string HostCompiler::version() const {
  const std::lock_guard lock(mutex_);
  if (!version_.empty()) return version_;
  const ProcessResult result = run_compiler(settings_, {"--version"}, "/");
  if (!result.succeeded)
    throw unavailable("'" + settings_.cxx_compiler + " --version' failed; is it a C++ compiler? " + result.output);
  version_ = result.output.substr(0, result.output.find('\n'));
  return version_;
}

CompileResult HostCompiler::compile(const CompileRequest& request) {
  const TemporaryFolder folder(settings_.temporary_directory);
  write_sources(request, folder);
  std::vector<std::string> arguments = flags();
  // Else g++ makes a module with a static variable in a template one that is never unloaded; clang++ never does so.
  if (version().find("clang") == std::string::npos) arguments.emplace_back("-fno-gnu-unique");
  arguments.insert(arguments.end(), {"-x", "c++", request.source.name, "-o", kOutput, "-lm", "-lc", "-lgcc"});
  const ProcessResult result = run_compiler(settings_, arguments, folder.path());
  if (!result.succeeded) return CompileFailure{without(result.output, folder.path().string() + "/")};
  CodeObject code;
  code.bytes = read_bytes(folder.path() / kOutput);
  check_shared_library(code.bytes);
  code.isa_hash = hash_code(code.bytes);
  code.resources.resize(request.entry_points.size());
  return code;
}

}  // namespace hiptune::host
