#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hiptune/dispatcher.hpp"
#include "problem/closed_form.hpp"
#include "problem/problem_buffers.hpp"

namespace hiptune {

inline constexpr std::size_t kMaxDimensions = 8;
inline constexpr std::size_t kMaxTraits = 8;

// What a call asks for, as numbers: dimensions in the space's order, and the index of each trait's value.
struct CallKey {
  std::array<std::int64_t, kMaxDimensions> dimensions{};
  std::array<std::uint8_t, kMaxTraits> traits{};
  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};

// Values of the batch dimensions, in the space's order.
struct BatchValues {
  std::array<std::int64_t, kMaxDimensions> values{};
  std::size_t count = 0;
  [[nodiscard]] std::span<const std::int64_t> span() const noexcept { return {values.data(), count}; }
};

// What a call's arguments say.
struct CallReading {
  Status status = Status::success;
  std::size_t argument = 0;  // the one that is wrong, where the status is no success
  bool is_empty = false;     // a batch dimension is 0: nothing to launch, and the key has no traits
  CallKey key;
};

// How to read a call's arguments: built once per binding, so that a call only indexes.
class Signature {
 public:
  // Throws Error(bad_input) when the types do not fit the space's arguments for this dtype and these traits, a
  // dimension is no argument, or the row of a strided buffer is no closed form. `traits` are the given ones.
  Signature(const Space& space, Dtype dtype, const std::vector<detail::ArgumentType>& types, const Assignment& traits,
            const TargetFacts& facts);

  // Hot: dimensions, strides, scalars and pointers checked, traits found.
  [[nodiscard]] CallReading read(void* const* arguments) const noexcept;
  // What is wrong with the call, in words: "cols is 0, and must be from 1 to 65536".
  [[nodiscard]] std::string describe(const CallReading& reading, void* const* arguments) const;

  [[nodiscard]] std::size_t arguments() const { return names_.size(); }
  [[nodiscard]] std::span<const std::int64_t> dimensions_of(const CallKey& key) const noexcept {
    return {key.dimensions.data(), dimensions_.size()};
  }
  [[nodiscard]] BatchValues batch_of(const CallKey& key) const noexcept;
  // The key with its batch dimensions set to 0: what choices are kept for.
  [[nodiscard]] CallKey without_batch(const CallKey& key) const noexcept;
  // Batch dimensions of 0 become their minimum.
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
    std::uint64_t element_bytes;
    std::uint64_t times_dtype;  // of whose size the element is: 2 of an f32 beside f16, at least 1
    bool absent = false;
    bool strided = false;
    std::size_t stride_argument = 0;
    ClosedForm row;  // elements of a row, from all dimensions
  };
  struct ScalarSlot {
    std::size_t argument;
    Dtype type;
    double minimum, maximum;  // as the type holds them
  };
  struct AlignmentSlot {
    std::size_t trait;
    std::vector<std::uint64_t> values;  // ascending
    std::size_t lowest = 0;             // the first that is at least an element's size, which pointers always have
  };

  // Of a trait found by aliasing.
  struct AliasSlot {
    std::size_t trait;
    std::size_t input, output;  // of the buffers, among the slots
    ClosedForm rows;            // from all dimensions
  };

  void add_dimension(const Space& space, const Dimension& dimension);
  void add_buffer(const Space& space, std::size_t index, const ProblemBuffer& buffer, const Names& names);
  void add_scalar(const Space& space, std::size_t index);
  void add_trait(const Space& space, std::size_t index, const Names& names);
  void add_alignment(const Trait& trait, std::size_t index);
  void add_aliasing(const Space& space, const Trait& trait, std::size_t index, const Names& names);
  [[nodiscard]] bool read_dimensions(void* const* arguments, CallReading& reading) const noexcept;
  [[nodiscard]] bool read_scalars(void* const* arguments, CallReading& reading) const noexcept;
  [[nodiscard]] bool read_buffers(void* const* arguments, CallReading& reading, std::uint64_t& bits) const noexcept;
  [[nodiscard]] static Status status_of(const BufferSlot& buffer, std::uint64_t address) noexcept;
  [[nodiscard]] bool read_aliasing(void* const* arguments, CallReading& reading) const noexcept;
  [[nodiscard]] std::string describe_buffer(const BufferSlot& slot, Status status) const;
  [[nodiscard]] std::string describe_stride(const BufferSlot& slot, const CallReading& reading,
                                            void* const* arguments) const;

  Dtype dtype_;
  std::vector<std::string> names_;  // of the arguments
  std::vector<DimensionSlot> dimensions_;
  std::vector<BufferSlot> buffers_;
  std::vector<ScalarSlot> scalars_;
  std::vector<AlignmentSlot> alignments_;
  std::vector<AliasSlot> aliases_;
  std::array<std::uint8_t, kMaxTraits> given_{};
};

// The names of all dimensions, in order.
[[nodiscard]] std::vector<std::string> dimension_names(const Space& space);

}  // namespace hiptune
