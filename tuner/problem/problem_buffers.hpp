#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace hiptune {

// A buffer of the space as the calls of one problem have it.
struct ProblemBuffer {
  std::string name{};
  Role role = Role::in;  // of its memory
  Dtype type = Dtype::f32;
  Domain domain{};                         // of what it holds before a launch
  bool is_vector = false;                  // of one extent
  bool is_absent = false;                  // calls pass a null pointer
  std::optional<std::size_t> memory_of{};  // in place: the buffer whose memory it is

  // Each of these is false of a buffer that has no memory of its own.
  [[nodiscard]] bool has_memory() const { return !is_absent && !memory_of; }
  [[nodiscard]] bool is_filled() const { return has_memory() && role != Role::out; }   // before a launch
  [[nodiscard]] bool is_constant() const { return has_memory() && role == Role::in; }  // so still after it
  [[nodiscard]] bool has_results() const { return has_memory() && role != Role::in; }  // after it
};

// In argument order. Of a call in place the output has the memory, its role there is inout, and it begins as the input;
// the input is another name for it.
[[nodiscard]] std::vector<ProblemBuffer> problem_buffers(const Space& space, const Problem& problem);

// None: the buffer is absent.
[[nodiscard]] std::optional<Dtype> element_type(const ElementType& type, const Problem& problem);

// Of a workspace.
[[nodiscard]] std::int64_t element_bytes(const Workspace& workspace, const Problem& problem);

}  // namespace hiptune
