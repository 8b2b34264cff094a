#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/dtype.hpp"
#include "problem/expression.hpp"
#include "problem/value.hpp"

namespace hiptune {

struct Dimension {
  std::string name;
  std::int64_t minimum = 1;
  std::int64_t maximum = 0;
  bool batch = false;  // varies from call to call: constraints may not mention it
  std::string description;
};

inline constexpr std::size_t kVectorBytes = 16;  // of the widest access that any GPU has

// How the value of a trait is found at a call.
enum class TraitSource {
  given,      // the caller says it
  alignment,  // the largest listed value that divides every buffer's address and row stride, in bytes of the problem's
              // dtype: a buffer of wider elements is aligned to as many of them, or to kVectorBytes
  aliasing,   // "yes" where an output begins at an input's address, and so is it, with the same row stride; else "no"
};

// Values of a trait that says the type of a buffer, beside the names of dtypes.
inline constexpr const char* kSameType = "same";  // the problem's dtype
inline constexpr const char* kNoBuffer = "none";  // the buffer is absent

// Values of a trait found by aliasing, in this order.
inline constexpr const char* kApart = "no";
inline constexpr const char* kInPlace = "yes";

// The two buffers of a trait found by aliasing.
struct AliasedPair {
  std::string input;
  std::string output;
};

struct Trait {
  std::string name;
  std::vector<Value> values;  // ascending integers for `alignment`
  std::size_t default_index = 0;
  TraitSource source = TraitSource::given;
  std::string description;
  AliasedPair aliased{};  // where the source is `aliasing`
};

enum class Role { in, out, inout };

// The input values for which the kernel promises anything: zero, and finite magnitudes within [smallest, largest].
// `non_finite` says that NaN and Inf propagate as in the oracle.
struct Domain {
  double smallest = 0;
  double largest = 1;
  bool non_finite = false;
};

// What the elements of a buffer are: what the file names, a dtype or a trait whose value says it; neither: the
// problem's dtype.
struct ElementType {
  std::optional<Dtype> dtype{};
  std::string trait{};

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

struct BufferArgument {
  std::string name;
  Role role = Role::in;
  ElementType type;
  std::vector<Expression> extent;     // elements, outermost first, 1 or 2 of them; the last is contiguous
  Domain domain;                      // of an input; for problems of a dtype that `domains` does not have
  std::map<Dtype, Domain> domains{};  // by the problem's dtype; empty, or one for each
  std::string description{};

  [[nodiscard]] const Domain& domain_for(Dtype dtype) const;
};

struct ScalarArgument {
  std::string name;
  Dtype type = Dtype::f32;
  double default_value = 0;
  double minimum = 0;
  double maximum = 0;
  std::string description;
};

struct DimensionArgument {
  std::string name;  // passed as int64
};

// The distance in elements between consecutive rows of a two-dimensional buffer, passed as int64; at least the
// buffer's inner extent.
struct StrideArgument {
  std::string name;
  std::string buffer;
};

using Argument = std::variant<BufferArgument, ScalarArgument, DimensionArgument, StrideArgument>;

struct Workspace {
  std::string name;
  ElementType type;
  Expression extent;  // elements
};

struct Tunable {
  std::string name;
  std::vector<Value> values;  // all integers or all words
  std::string description;
};

struct Constraint {
  Expression expression;
  std::string reason;
};

struct LaunchRule {
  std::string entry;
  std::vector<Expression> grid;    // 1 to 3; one that mentions a batch dimension is clamped to the target's limit
  std::vector<Expression> block;   // 1 to 3
  Expression dynamic_lds;          // bytes
  Expression cluster;              // blocks
  std::optional<Expression> when;  // the launch is part of the plan only where this holds
};

struct Tolerance {
  Expression atol;
  Expression rtol;
  std::string reason;
  std::optional<double> origin{};  // an absolute limit that others test by: reported, and deciding nothing
};

struct Baseline {
  std::string name;
  Assignment config;
};

// A kernel's space file, read and checked. Immutable after reading; safe to share between threads.
struct Space {
  std::string kernel;
  std::string description;
  std::vector<Dimension> dimensions;
  std::vector<Dtype> dtypes;
  std::vector<Trait> traits;
  std::vector<Argument> arguments;
  std::vector<Workspace> workspaces;
  std::vector<Tunable> tunables;
  std::vector<Constraint> constraints;
  std::vector<LaunchRule> plan;
  bool rejects_spills = false;  // a variant whose registers spill is not valid
  Expression work_bytes;
  Expression work_flops;
  Tolerance tolerance;
  std::vector<Baseline> baselines;
  Assignment fallback;
  std::string file;
  std::string canonical_text;  // the file as compact JSON: what its fingerprint covers

  [[nodiscard]] const Dimension* find_dimension(std::string_view name) const;
  [[nodiscard]] const Trait* find_trait(std::string_view name) const;
  [[nodiscard]] const Tunable* find_tunable(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> batch_dimensions() const;   // names, in order
  [[nodiscard]] std::vector<const BufferArgument*> buffers() const;  // in argument order
  [[nodiscard]] bool has_stride(std::string_view buffer) const;      // as an argument of its own
};

// Reads a space file. `file` is used in messages only. Throws Error(bad_input) naming file and JSON pointer (or line
// and column for a syntax error): unknown or duplicate field or name, wrong type, constraint on a batch dimension, a
// baseline or fallback that is not a configuration, a fallback that some constraint rejects, …
[[nodiscard]] Space read_space(const std::string& json_text, const std::string& file);

}  // namespace hiptune
