#include "cache/safe_name.hpp"

#include <algorithm>
#include <string_view>

#include "cache/fingerprint.hpp"

namespace hiptune {
namespace {

constexpr std::size_t kHashDigits = 8;

constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
// What product names use between words. Two names that differ in these alone are taken for the same device.
constexpr std::string_view kSeparators = " ():@";

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

}  // namespace

bool is_safe(char c) { return kSafe.find(c) != std::string_view::npos; }

std::string safe_name(const std::string& text, std::size_t longest) {
  std::string name = with_dashes(text);
  if (name.empty() || name[0] == '.' || name[0] == '-') name = "device" + name;
  if (name.size() <= longest && !loses_more_than_separators(text)) return name;
  name.resize(std::min(name.size(), longest - kHashDigits - 1));
  return name + "-" + fingerprint_bytes(text).substr(0, kHashDigits);
}

}  // namespace hiptune
