#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hiptune {

// Element types of buffers and types of scalars. `index` is a dimension or a stride: int64.
enum class Dtype { f32, f64, i32, i64 };

[[nodiscard]] std::size_t size_of(Dtype dtype);    // bytes
[[nodiscard]] std::string to_string(Dtype dtype);  // "f32"
[[nodiscard]] std::string cpp_name(Dtype dtype);   // "float", as in hiptune_config.h
[[nodiscard]] std::optional<Dtype> parse_dtype(std::string_view name);
[[nodiscard]] bool is_floating(Dtype dtype);
[[nodiscard]] std::vector<std::string> dtype_names();  // for error messages

// One element to and from double. Integers beyond 2^53 lose precision.
[[nodiscard]] double load_as_double(const void* element, Dtype dtype);
void store_from_double(void* element, Dtype dtype, double value);

}  // namespace hiptune
