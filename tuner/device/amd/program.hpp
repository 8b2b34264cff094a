#pragma once

#include <string>

#include "device/compiler.hpp"

namespace hiptune::amd {

// "hipRTC 9.0 (libamdhip64.so.5.2.21153)": the library that runs, which may be newer than the headers of the build.
[[nodiscard]] std::string hiprtc_version();

// Compiles a source for an architecture with hipRTC and takes what it gives: the bytes alone of a code object, or the
// log. For one thread at a time. hipRTC may end the process. Throws
// Error(failed) when hipRTC itself fails.
[[nodiscard]] CompileResult compile_with_hiprtc(const CompileRequest& request);

// A log without the folders that hipRTC makes for a compilation: "/tmp/comgr-8a92b4/include/NAME:2:2" -> "NAME:2:2".
[[nodiscard]] std::string without_folders(std::string log);

}  // namespace hiptune::amd
