#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hiptune/dispatcher.hpp"
#include "problem/closed_form.hpp"
#include "problem/problem.hpp"

namespace hiptune {

inline constexpr std::size_t kMaxDimensions = 8;
inline constexpr std::size_t kMaxTraits = 8;

// What a call asks for, as numbers: dimensions in the space's order, and the index of each trait's value.
struct CallKey {
  std::array<std::int64_t, kMaxDimensions> dimensions{};
  std::array<std::uint8_t, kMaxTraits> traits{};
  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};

// How to read a call's arguments: built once per binding, so that a call only indexes.
class Signature {
 public:
  // Throws Error(bad_input) when the types do not fit the space's arguments for this dtype, or a dimension is no
  // argument. `traits` are the given ones.
  Signature(const Space& space, Dtype dtype, const std::vector<detail::ArgumentType>& types, const Assignment& traits);

  // Hot: dimensions, strides and pointers checked, traits found. `is_empty` says that a batch dimension is 0.
  [[nodiscard]] Status read(void* const* arguments, CallKey& key, bool& is_empty) const noexcept;

  [[nodiscard]] std::size_t arguments() const { return arguments_; }
  [[nodiscard]] std::size_t dimensions() const { return dimensions_.size(); }
  // The batch dimensions of a key, in the space's order, into `out`; returns how many.
  std::size_t batch_of(const CallKey& key, std::array<std::int64_t, kMaxDimensions>& out) const noexcept;
  // The key with its batch dimensions set to 0: what choices are kept for.
  [[nodiscard]] CallKey without_batch(const CallKey& key) const noexcept;
  [[nodiscard]] Problem problem_of(const Space& space, const CallKey& key) const;
  // One key per combination of values of the traits that are found from calls, dimensions 0.
  [[nodiscard]] std::vector<CallKey> trait_combinations() const;

 private:
  struct DimensionSlot {
    std::size_t argument;
    std::int64_t minimum, maximum;
    bool batch;
  };
  struct BufferSlot {
    std::size_t argument;
    std::int64_t element_bytes;
    bool strided = false;
    std::size_t stride_argument = 0;
    ClosedForm row;  // elements of a row, from all dimensions
  };
  struct AlignmentSlot {
    std::size_t trait;
    std::vector<std::int64_t> values;  // ascending
  };

  void add_buffer(const Space& space, std::size_t index);

  Dtype dtype_;
  std::size_t arguments_;
  std::vector<DimensionSlot> dimensions_;
  std::vector<BufferSlot> buffers_;
  std::vector<AlignmentSlot> alignments_;
  std::array<std::uint8_t, kMaxTraits> given_{};
};

}  // namespace hiptune
