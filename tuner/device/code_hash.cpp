#include "device/code_hash.hpp"

#include <xxhash.h>

#include <cstdio>

namespace hiptune {

CodeHash::CodeHash() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }

void CodeHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void CodeHash::add(std::string_view name, std::span<const std::byte> contents) {
  const char end = '\0';
  XXH3_128bits_update(state_.get(), name.data(), name.size());
  XXH3_128bits_update(state_.get(), &end, 1);
  XXH3_128bits_update(state_.get(), contents.data(), contents.size());
}

std::string CodeHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace hiptune
