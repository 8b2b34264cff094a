#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hiptune {

// Element types of buffers and types of scalars. `index` is a dimension or a stride: int64.
// `f16` is IEEE 754's binary16, `bf16` the upper half of an f32.
// In the order that the kernels know which compare on the device.
enum class Dtype { f32, f64, i32, i64, f16, bf16 };

[[nodiscard]] std::size_t size_of(Dtype dtype);    // bytes
[[nodiscard]] std::string to_string(Dtype dtype);  // "f32"
[[nodiscard]] std::string cpp_name(Dtype dtype);   // "float", "hiptune::f16", as templates see it
[[nodiscard]] std::optional<Dtype> parse_dtype(std::string_view name);
[[nodiscard]] bool is_floating(Dtype dtype);
[[nodiscard]] std::vector<std::string> dtype_names();  // for error messages

// The largest finite value; of an i64 the largest integer up to which a double holds all.
[[nodiscard]] double largest_finite(Dtype dtype);

// One element to and from double. Integers beyond 2^53 lose precision. Floating types round to nearest, ties to even,
// once; what is too large becomes infinite.
[[nodiscard]] double load_as_double(const void* element, Dtype dtype);
void store_from_double(void* element, Dtype dtype, double value);

}  // namespace hiptune
