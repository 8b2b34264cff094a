#include <algorithm>

#include "cache/safe_name.hpp"
#include "cache/store.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

// Names of files are limited to 255 bytes; this keeps listings readable as well.
constexpr std::size_t kLongestDeviceFolder = 100;

}  // namespace

CacheKey cache_key(const Target& target, const std::string& kernel) {
  const bool safe = !kernel.empty() && kernel[0] != '.' && std::all_of(kernel.begin(), kernel.end(), is_safe);
  if (!safe) throw bad_input("kernel name \"" + kernel + "\": a file is named after it, so use letters, digits and _");
  return {safe_name(target.architecture + "-" + target.name, kLongestDeviceFolder), kernel};
}

}  // namespace hiptune
