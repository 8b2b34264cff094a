#include "problem/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "problem/utf8.hpp"

namespace hiptune {

namespace {

constexpr std::size_t kExcerpt = 120;

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b);
}

// Letters to insert, remove, replace or swap with their neighbour; case is ignored.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = steps[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      steps[i][j] = std::min({replaced, steps[i - 1][j] + 1, steps[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (word.size() > kExcerpt) return "";  // the steps grow with its length, and nobody mistypes such a name
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t candidate_distance = distance(word, candidate);
    if (candidate_distance >= best_distance) continue;
    best = &candidate;
    best_distance = candidate_distance;
  }
  return best == nullptr ? "" : " (did you mean \"" + *best + "\"?)";
}

std::string excerpt(std::string_view text) {
  if (text.size() <= kExcerpt) return std::string(text);
  const std::string_view dots = "...";
  return std::string(cut(text, kExcerpt - dots.size())) += dots;
}

std::string join(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

}  // namespace hiptune
