#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "problem/kernel.hpp"
#include "problem/problem.hpp"

namespace hiptune {

struct CompileRequest {
  SourceFile source;
  std::vector<SourceFile> headers;  // in memory: included by name, never looked up on disk
  std::vector<std::string> entry_points;
  std::string architecture;  // Target::architecture
};

// What a compiled entry point needs. None: unavailable from this compiler.
struct Resources {
  std::optional<int> vgprs;  // registers of a thread; an NVIDIA GPU has no other kind
  std::optional<int> sgprs;
  std::optional<int> lds_bytes;
  std::optional<int> scratch_bytes;
  std::optional<int> spilled_registers;
};

struct CodeObject {
  std::vector<std::byte> bytes;
  std::string isa_hash;              // of code sections only: equal machine code, equal hash
  std::vector<Resources> resources;  // per entry point of the request
};

// A source that the compiler rejects: a result, not an exception. The log keeps the source's own line numbers.
struct CompileFailure {
  std::string log;
};

// Of a source that compiles, and yet lacks what a plan launches.
[[nodiscard]] inline CompileFailure no_entry_point(const std::string& source, const std::string& entry) {
  return {source + ": error: there is no entry point '" + entry + "'; define it as extern \"C\" __global__ void " +
          entry + "(...)\n"};
}

using CompileResult = std::variant<CodeObject, CompileFailure>;

// Turns source into a code object; needs no device. One object may be used from several threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // "g++ (Debian 12.2.0-14) 12.2.0": part of what a cache entry was made from.
  [[nodiscard]] virtual std::string version() const = 0;
  // What is known of an architecture without a device of it: wave size and limits of a launch; COMPUTE_UNITS is a
  // typical number. Throws Error(unavailable) naming the compiler when it does not know the architecture.
  [[nodiscard]] virtual TargetFacts facts(const std::string& architecture) = 0;
  // Throws Error(unavailable) when the compiler itself cannot run, or does not know the architecture.
  [[nodiscard]] virtual CompileResult compile(const CompileRequest& request) = 0;
};

}  // namespace hiptune
