#pragma once

#include <string>
#include <string_view>

#include "cache/record.hpp"
#include "problem/kernel.hpp"

namespace hiptune {

// XXH3-128 of the preprocessor tokens of C++ source, as hex: comments, white space and line ends do not count, what is
// inside string literals (raw ones too) does.
[[nodiscard]] std::string fingerprint_tokens(std::string_view source);
// XXH3-128 of the bytes, as hex.
[[nodiscard]] std::string fingerprint_bytes(std::string_view bytes);

[[nodiscard]] Fingerprints fingerprints_of(const Kernel& kernel);

}  // namespace hiptune
