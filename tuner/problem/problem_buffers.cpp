#include "problem/problem_buffers.hpp"

#include <algorithm>

namespace hiptune {

namespace {

std::size_t index_of(const std::vector<ProblemBuffer>& buffers, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(buffers, name, &ProblemBuffer::name) - buffers.begin());
}

ProblemBuffer buffer_of(const BufferArgument& declared, const Problem& problem) {
  const std::optional<Dtype> type = element_type(declared.type, problem);
  return {.name = declared.name,
          .role = declared.role,
          .type = type.value_or(problem.dtype),
          .domain = declared.domain_for(problem.dtype),
          .is_vector = declared.extent.size() == 1,
          .is_absent = !type};
}

void join(std::vector<ProblemBuffer>& buffers, const AliasedPair& pair) {
  ProblemBuffer& input = buffers[index_of(buffers, pair.input)];
  const std::size_t at = index_of(buffers, pair.output);
  input.memory_of = at;
  buffers[at].role = Role::inout;
  buffers[at].domain = input.domain;
}

}  // namespace

std::optional<Dtype> element_type(const ElementType& type, const Problem& problem) {
  if (type.trait.empty()) return type.dtype.value_or(problem.dtype);
  const std::string word = std::get<std::string>(*find(problem.traits, type.trait));
  return word == kSameType ? problem.dtype : parse_dtype(word);
}

std::vector<ProblemBuffer> problem_buffers(const Space& space, const Problem& problem) {
  std::vector<ProblemBuffer> buffers;
  for (const BufferArgument* declared : space.buffers()) buffers.push_back(buffer_of(*declared, problem));
  for (const Trait& trait : space.traits)
    if (trait.source == TraitSource::aliasing && *find(problem.traits, trait.name) == Value(kInPlace))
      join(buffers, trait.aliased);
  return buffers;
}

std::int64_t element_bytes(const Workspace& workspace, const Problem& problem) {
  return static_cast<std::int64_t>(size_of(element_type(workspace.type, problem).value()));
}

}  // namespace hiptune
