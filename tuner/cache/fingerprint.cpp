#include "cache/fingerprint.hpp"

#include <xxhash.h>

#include "cache/tokens.hpp"

namespace hiptune {

std::string fingerprint_bytes(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  XXH128_canonical_t canonical;  // big-endian, as xxhsum prints it
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string hex;
  for (const unsigned char byte : canonical.digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

std::string fingerprint_tokens(std::string_view source) {
  std::string joined;
  for (const auto& token : preprocessor_tokens(source)) {
    joined += token;
    joined += '\0';
  }
  return fingerprint_bytes(joined);
}

Fingerprints fingerprints_of(const Kernel& kernel) {
  return {fingerprint_tokens(kernel.source.text), fingerprint_tokens(kernel.device_layer.text),
          fingerprint_bytes(kernel.space.canonical_text), fingerprint_tokens(kernel.reference.text)};
}

}  // namespace hiptune
