#include "problem/space.hpp"

#include <algorithm>

namespace hiptune {

namespace {

template <typename T>
const T* find_by_name(const std::vector<T>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &T::name);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const Domain& BufferArgument::domain_for(Dtype dtype) const {
  const auto found = domains.find(dtype);
  return found == domains.end() ? domain : found->second;
}

const Dimension* Space::find_dimension(std::string_view name) const { return find_by_name(dimensions, name); }
const Trait* Space::find_trait(std::string_view name) const { return find_by_name(traits, name); }
const Tunable* Space::find_tunable(std::string_view name) const { return find_by_name(tunables, name); }

std::vector<std::string> Space::batch_dimensions() const {
  std::vector<std::string> names;
  for (const Dimension& dimension : dimensions) {
    if (dimension.batch) names.push_back(dimension.name);
  }
  return names;
}

std::vector<const BufferArgument*> Space::buffers() const {
  std::vector<const BufferArgument*> list;
  for (const Argument& argument : arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) list.push_back(buffer);
  }
  return list;
}

bool Space::has_stride(std::string_view buffer) const {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    const auto* stride = std::get_if<StrideArgument>(&argument);
    return stride != nullptr && stride->buffer == buffer;
  });
}

}  // namespace hiptune
