#include <algorithm>

#include "hiptune/error.hpp"
#include "problem/expression_syntax.hpp"
#include "problem/named_values.hpp"
#include "problem/nearest.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

namespace {

std::string trait_place(const Space& space, const Trait& trait) {
  return Place{space.file, "/traits/" + trait.name}.text() + ": ";
}

std::string argument_place(const Space& space, std::size_t index, const std::string& field) {
  return Place{space.file, "/arguments/" + std::to_string(index) + field}.text() + ": ";
}

std::vector<std::string> words_of_types(bool may_be_absent) {
  std::vector<std::string> words = dtype_names();
  words.emplace_back(kSameType);
  if (may_be_absent) words.emplace_back(kNoBuffer);
  return words;
}

const Trait& type_trait(const Space& space, const std::string& name, const std::string& where) {
  if (const Trait* trait = space.find_trait(name)) return *trait;
  std::vector<std::string> known = dtype_names();
  for (const Trait& trait : space.traits) known.push_back(trait.name);
  throw bad_input(where + "there is no dtype or trait \"" + excerpt(name) + "\"" + did_you_mean(name, known) +
                  "; there are " + join(known));
}

void check_type_trait(const Space& space, const std::string& name, bool may_be_absent, const std::string& where) {
  if (name.empty()) return;
  const Trait& trait = type_trait(space, name, where);
  if (trait.source != TraitSource::given)
    throw bad_input(where + "the trait " + name + " cannot say a type: only one whose source is \"given\" can");
  const std::vector<std::string> words = words_of_types(may_be_absent);
  for (const std::string& value : texts_of(trait.values)) {
    if (std::ranges::count(words, value) > 0) continue;
    throw bad_input(trait_place(space, trait) + "says the type of a buffer, and \"" + value + "\" is none; " +
                    (value == kNoBuffer ? "only an input may be absent; " : "") + "there are " + join(words));
  }
}

const BufferArgument& paired_buffer(const Space& space, const Trait& trait, const std::string& name, Role role) {
  const std::vector<const BufferArgument*> buffers = space.buffers();
  const auto found = std::ranges::find(buffers, name, &BufferArgument::name);
  if (found == buffers.end())
    throw bad_input(trait_place(space, trait) + "there is no buffer \"" + excerpt(name) + "\"");
  if ((*found)->role == role) return **found;
  throw bad_input(trait_place(space, trait) + "\"buffers\" must be one of role in and then one of role out, and " +
                  name + " is not");
}

std::vector<std::string> texts_of(const std::vector<Expression>& expressions) {
  std::vector<std::string> texts;
  for (const Expression& expression : expressions) texts.push_back(expression.text());
  return texts;
}

void check_pair(const Space& space, const Trait& trait) {
  const BufferArgument& input = paired_buffer(space, trait, trait.aliased.input, Role::in);
  const BufferArgument& output = paired_buffer(space, trait, trait.aliased.output, Role::out);
  const auto require = [&](bool holds, const std::string& what) {
    if (holds) return;
    throw bad_input(trait_place(space, trait) + input.name + " and " + output.name + " must have the same " + what +
                    ", since they are one memory in place");
  };
  require(texts_of(input.extent) == texts_of(output.extent), "\"extent\"");
  require(input.type == output.type, "\"type\"");
  const bool is_strided = space.has_stride(input.name);
  require(is_strided == space.has_stride(output.name), "row stride: an argument each, or neither");
  // The dispatcher compares the strides of a call with more than one row.
  if (is_strided) check_closed_form(input.extent.front(), names_in(space.dimensions));
}

}  // namespace

void check_element_types(const Space& space) {
  for (std::size_t i = 0; i < space.arguments.size(); ++i)
    if (const auto* buffer = std::get_if<BufferArgument>(&space.arguments[i]))
      check_type_trait(space, buffer->type.trait, buffer->role == Role::in, argument_place(space, i, "/type"));
  for (std::size_t i = 0; i < space.workspaces.size(); ++i)
    check_type_trait(space, space.workspaces[i].type.trait, false,
                     Place{space.file, "/workspaces/" + std::to_string(i) + "/type"}.text() + ": ");
}

void check_aliased_pairs(const Space& space) {
  std::vector<std::string> paired;
  for (const Trait& trait : space.traits) {
    if (trait.source != TraitSource::aliasing) continue;
    check_pair(space, trait);
    for (const std::string& name : {trait.aliased.input, trait.aliased.output}) {
      if (std::ranges::count(paired, name) > 0)
        throw bad_input(trait_place(space, trait) + name + " is in another trait found by aliasing already");
      paired.push_back(name);
    }
  }
}

void check_domains_by_dtype(const Space& space) {
  for (std::size_t i = 0; i < space.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&space.arguments[i]);
    if (buffer == nullptr || buffer->domains.empty()) continue;
    const std::string where = argument_place(space, i, "/domain");
    for (const Dtype dtype : space.dtypes)
      if (!buffer->domains.contains(dtype)) throw bad_input(where + "a domain for " + to_string(dtype) + " is missing");
    for (const auto& [dtype, domain] : buffer->domains)
      if (std::ranges::count(space.dtypes, dtype) == 0)
        throw bad_input(where + to_string(dtype) + " is none of the kernel's dtypes; remove it, or list it there");
  }
}

}  // namespace hiptune
