#pragma once

#include <nvrtc.h>

#include <cstddef>
#include <string>
#include <vector>

#include "problem/kernel.hpp"

namespace hiptune::nvidia {

// "NVRTC 13.0".
[[nodiscard]] std::string nvrtc_version();
[[nodiscard]] int nvrtc_major();
// Throws Error(failed) with the call and NVRTC's text.
void check(const char* call, nvrtcResult result);

// A source in NVRTC with its headers. Not movable.
class Program {
 public:
  Program(const SourceFile& source, const std::vector<SourceFile>& headers);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] nvrtcResult compile(const std::vector<std::string>& options);
  [[nodiscard]] std::string log() const;
  // Requires that it compiled.
  [[nodiscard]] std::vector<std::byte> cubin() const;

 private:
  nvrtcProgram program_ = nullptr;
};

}  // namespace hiptune::nvidia
