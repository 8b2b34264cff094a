#include "device/host/compiler.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "device/file_name.hpp"
#include "device/host/cpu.hpp"
#include "device/host/device.hpp"
#include "device/host/elf_image.hpp"
#include "device/host/hints.hpp"
#include "device/host/process.hpp"
#include "device/host/temporary_folder.hpp"
#include "hiptune/error.hpp"
#include "problem/nearest.hpp"

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

// In place of ThreadSanitizer's own runtime, which is not linked, hiptune_device.h has the functions that are called
// at every access of memory. Debug information tells their lines; what it says of folders would make equal input give
// different bytes.
std::vector<std::string> watching_flags(const std::filesystem::path& folder, bool is_clang) {
  std::vector<std::string> list = {"-DHIPTUNE_HOST_WATCHED=1", "-fsanitize=thread", "-g1",
                                   "-fdebug-prefix-map=" + folder.string() + "=."};
  // clang instruments what its vectorizers have made, and passes over vectors of more than 16 bytes.
  if (is_clang) list.insert(list.end(), {"-fno-vectorize", "-fno-slp-vectorize"});
  return list;
}

struct HostArchitecture {
  int wave_size;
  bool watched;
};

HostArchitecture parse_architecture(const std::string& wanted) {
  for (const bool watched : {false, true})
    for (const int wave_size : {32, 64})
      if (wanted == architecture(wave_size, watched)) return {wave_size, watched};
  throw bad_input("the host compiler cannot build for '" + wanted + "'; it builds for " + architecture(32) + " and " +
                  architecture(64));
}

// The source, and what makes it loadable, on lines that are not the source's own.
std::string module_text(const CompileRequest& request) {
  std::string text = request.source.text;
  text += "\n#line 1 \"entry points of " + request.source.name + "\"\n#include \"hiptune_device.h\"\n";
  text += "HIPTUNE_HOST_MODULE(" + std::to_string(parse_architecture(request.architecture).wave_size) + ")\n";
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
    const bool is_path = settings.cxx_compiler.find('/') != std::string::npos;
    throw unavailable("no C++ compiler '" + excerpt(settings.cxx_compiler) + (is_path ? "'" : "' found on PATH") +
                      "; install g++, or name a compiler that is there in HIPTUNE_CXX (" + error.what() + ")");
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
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

// Of a log, the line that says most.
std::string headline(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos) return excerpt(line);
    if (first.empty()) first = line;
  }
  return first.empty() ? "it failed without a word" : excerpt(first);
}

// Room for more than the files of one compilation.
void require_room(const TemporaryFolder& folder) {
  constexpr std::size_t kRoom = std::size_t{4} << 20;
  const std::string name = "hiptune-room";
  folder.write(name, std::string(kRoom, ' '));
  std::filesystem::remove(folder.path() / name);
}

}  // namespace

std::string architecture_prefix() { return machine() + "-wave"; }

std::string architecture(int wave_size, bool watched) {
  return architecture_prefix() + std::to_string(wave_size) + (watched ? ":watched" : "");
}

TargetFacts HostCompiler::facts(const std::string& architecture) {
  return facts_of(parse_architecture(architecture).wave_size);
}

std::string HostCompiler::version() const {
  const std::lock_guard lock(mutex_);
  if (!version_.empty()) return version_;
  const ProcessResult result = run_compiler(settings_, {"--version"}, "/");
  if (!result.succeeded)
    throw unavailable("'" + excerpt(settings_.cxx_compiler) + " --version' failed: " + headline(result.output) +
                      "; name a g++ or clang++ in HIPTUNE_CXX");
  version_ = result.output.substr(0, result.output.find('\n'));
  return version_;
}

CompileResult HostCompiler::compile(const CompileRequest& request) {
  const TemporaryFolder folder(settings_.temporary_directory);
  write_sources(request, folder);
  Built built = build(request.source.name, folder, parse_architecture(request.architecture).watched);
  if (!built.bytes) {
    require_room(folder);
    require_working_compiler();
    return CompileFailure{built.log + hints_for(built.log)};
  }
  CodeObject code;
  code.bytes = std::move(*built.bytes);
  code.isa_hash = hash_code(code.bytes);
  code.resources.resize(request.entry_points.size());
  return code;
}

bool HostCompiler::is_clang() const { return version().find("clang") != std::string::npos; }

HostCompiler::Built HostCompiler::build(const std::string& source, const TemporaryFolder& folder, bool watched) const {
  std::vector<std::string> arguments = flags();
  // Else g++ makes a module with a static variable in a template one that is never unloaded; clang++ never does so.
  if (!is_clang()) arguments.emplace_back("-fno-gnu-unique");
  if (watched)
    for (std::string& flag : watching_flags(folder.path(), is_clang())) arguments.push_back(std::move(flag));
  arguments.insert(arguments.end(), {"-x", "c++", source, "-o", kOutput, "-lm", "-lc", "-lgcc"});
  const ProcessResult result = run_compiler(settings_, arguments, folder.path());
  if (!result.succeeded) return {std::nullopt, without(result.output, folder.path().string() + "/")};
  std::vector<std::byte> bytes = read_bytes(folder.path() / kOutput);
  if (bytes.empty()) return {std::nullopt, "it reported success but wrote no code object"};
  try {
    check_shared_library(bytes);
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
  return {std::move(bytes), ""};
}

// Only once something failed: ordinary runs need not wait for it.
void HostCompiler::require_working_compiler() const {
  const std::lock_guard lock(probing_);
  if (works_) return;
  const TemporaryFolder folder(settings_.temporary_directory);
  folder.write("trivial.cpp", "extern \"C\" int trivial() { return 0; }\n");
  const Built built = build("trivial.cpp", folder, false);
  works_ = built.bytes.has_value();
  if (works_) return;
  require_room(folder);
  throw unavailable("the C++ compiler '" + excerpt(settings_.cxx_compiler) +
                    "' cannot build a trivial shared library: " + headline(built.log) +
                    "; name a g++ or clang++ that works in HIPTUNE_CXX");
}

}  // namespace hiptune::host
