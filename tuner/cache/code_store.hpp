#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "device/compiler.hpp"
#include "device/target.hpp"
#include "problem/variant.hpp"

namespace hiptune {

// Code objects by content: what they were compiled from and for. With it, an application needs no compiler. The folder
// can be deleted at any time. An empty path keeps nothing. Safe to use from many processes and threads.
class CodeStore {
 public:
  explicit CodeStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Sources, entry points, architecture, device name, `machine` and hiptune's version, hashed. Which compiler is left
  // out, so that code is found where there is none.
  [[nodiscard]] static std::string key_of(const Variant& variant, const Target& target, const std::string& machine);
  [[nodiscard]] static std::string key_of(const Variant& variant, const Target& target);  // for this machine

  // Of what a compiler is asked for, whatever the device that runs it is called.
  [[nodiscard]] static std::string key_of(const CompileRequest& request, const std::string& machine);

  // What `compiler` (its version) made; any compiler's where that is empty. None when it is not there, cannot be read
  // or is damaged; the latter two are logged.
  [[nodiscard]] std::optional<CodeObject> find(const std::string& key, const std::string& compiler) const;
  // Throws Error(failed) when the folder cannot be written.
  void put(const std::string& key, const std::string& compiler, const CodeObject& code) const;

  // From the store, of this compiler where it can run, else of any; else compiled and, where the folder can be written,
  // stored. Throws Error(bad_input) with the log when the source does not compile, and Error(unavailable) when it is
  // not stored and there is no compiler.
  [[nodiscard]] CodeObject find_or_compile(const Variant& variant, const Target& target, Compiler* compiler) const;

  // Counts as used now, which keeps it from being thrown out; nothing where it is not there.
  void mark_used(const std::string& key, const std::string& compiler) const;
  // Throws out what was put or marked longest ago until the rest takes at most so many bytes.
  void shrink_to(std::uintmax_t bytes) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key, const std::string& compiler) const;
  [[nodiscard]] std::optional<CodeObject> find_of_any_compiler(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace hiptune
