#include <algorithm>
#include <string_view>

#include "cache/fingerprint.hpp"
#include "cache/store.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

// Names of files are limited to 255 bytes; this keeps listings readable as well.
constexpr std::size_t kLongestDeviceFolder = 100;
constexpr std::size_t kHashDigits = 8;

constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
// What product names use between words. Two names that differ in these alone are taken for the same device.
constexpr std::string_view kSeparators = " ():@";

bool is_safe(char c) { return kSafe.find(c) != std::string_view::npos; }

// Every run of unsafe characters becomes one '-', none at the ends.
std::string with_dashes(const std::string& text) {
  std::string result;
  bool gap = false;
  for (const char c : text) {
    if (!is_safe(c)) {
      gap = true;
      continue;
    }
    if (gap && !result.empty() && result.back() != '-') result += '-';
    gap = false;
    result += c;
  }
  return result;
}

bool loses_more_than_separators(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return !is_safe(c) && kSeparators.find(c) == std::string_view::npos; });
}

// Readable where it can be; where cutting or an unusual character could make two devices one, a hash of the whole
// name tells them apart.
std::string device_folder(const std::string& text) {
  auto folder = with_dashes(text);
  if (folder.empty() || folder[0] == '.' || folder[0] == '-') folder = "device" + folder;
  if (folder.size() <= kLongestDeviceFolder && !loses_more_than_separators(text)) return folder;
  folder.resize(std::min(folder.size(), kLongestDeviceFolder - kHashDigits - 1));
  return folder + "-" + fingerprint_bytes(text).substr(0, kHashDigits);
}

}  // namespace

CacheKey cache_key(const Target& target, const std::string& kernel) {
  const bool safe = !kernel.empty() && kernel[0] != '.' && std::all_of(kernel.begin(), kernel.end(), is_safe);
  if (!safe) throw bad_input("kernel name \"" + kernel + "\": a file is named after it, so use letters, digits and _");
  return {device_folder(target.architecture + "-" + target.name), kernel};
}

}  // namespace hiptune
