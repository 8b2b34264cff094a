#include "mutants/mutation.hpp"

#include <stdexcept>

namespace hiptune::test {

int count_of(const std::string& pattern, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + pattern.size()))
    ++count;
  return count;
}

std::string mutate(const std::string& text, const Mutation& mutation) {
  const int count = count_of(mutation.pattern, text);
  const int wanted = mutation.occurrence.value_or(1);
  if (count < wanted || (!mutation.occurrence && count != 1))
    throw std::invalid_argument(mutation.name + ": the template holds \"" + mutation.pattern + "\" " +
                                std::to_string(count) + " times");
  std::size_t at = text.find(mutation.pattern);
  for (int i = 1; i < wanted; ++i) at = text.find(mutation.pattern, at + mutation.pattern.size());
  std::string mutated = text;
  mutated.replace(at, mutation.pattern.size(), mutation.replacement);
  if (mutated == text) throw std::invalid_argument(mutation.name + ": changes nothing");
  return mutated;
}

}  // namespace hiptune::test
