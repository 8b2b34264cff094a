#include "problem/dtype.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "problem/float16.hpp"

namespace hiptune {

namespace {

struct DtypeRow {
  Dtype dtype;
  const char* name;
  const char* cpp_name;  // the same width to hipRTC, NVRTC and the CPU's compiler
  std::size_t size;
  bool floating;
  double largest;
};

constexpr DtypeRow kDtypes[] = {
    {Dtype::f32, "f32", "float", 4, true, std::numeric_limits<float>::max()},
    {Dtype::f64, "f64", "double", 8, true, std::numeric_limits<double>::max()},
    {Dtype::f16, "f16", "hiptune::f16", 2, true, 65504},
    {Dtype::bf16, "bf16", "hiptune::bf16", 2, true, 0x1.FEp127},
    {Dtype::i32, "i32", "int", 4, false, std::numeric_limits<std::int32_t>::max()},
    {Dtype::i64, "i64", "long long", 8, false, 0x1p53},
};

const DtypeRow& row_of(Dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) return row;
  }
  throw std::logic_error("a dtype that the table lacks");
}

// memcpy because an element of a byte buffer need not be aligned.
template <typename T>
double load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<double>(value);
}

template <typename T>
void store(void* element, double value) {
  const T narrowed = static_cast<T>(value);
  std::memcpy(element, &narrowed, sizeof narrowed);
}

double load16(const void* element, const Float16& format) {
  std::uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  return decode(bits, format);
}

void store16(void* element, double value, const Float16& format) {
  const std::uint16_t bits = encode(value, format);
  std::memcpy(element, &bits, sizeof bits);
}

}  // namespace

std::size_t size_of(Dtype dtype) { return row_of(dtype).size; }
std::string to_string(Dtype dtype) { return row_of(dtype).name; }
std::string cpp_name(Dtype dtype) { return row_of(dtype).cpp_name; }
bool is_floating(Dtype dtype) { return row_of(dtype).floating; }
double largest_finite(Dtype dtype) { return row_of(dtype).largest; }

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (name == row.name) return row.dtype;
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DtypeRow& row : kDtypes) names.emplace_back(row.name);
  return names;
}

double load_as_double(const void* element, Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return load<float>(element);
    case Dtype::f64:
      return load<double>(element);
    case Dtype::i32:
      return load<std::int32_t>(element);
    case Dtype::i64:
      return load<std::int64_t>(element);
    case Dtype::f16:
      return load16(element, kF16);
    case Dtype::bf16:
      return load16(element, kBf16);
  }
  throw std::logic_error("a dtype that load_as_double lacks");
}

void store_from_double(void* element, Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f32:
      return store<float>(element, value);
    case Dtype::f64:
      return store<double>(element, value);
    case Dtype::i32:
      return store<std::int32_t>(element, value);
    case Dtype::i64:
      return store<std::int64_t>(element, value);
    case Dtype::f16:
      return store16(element, value, kF16);
    case Dtype::bf16:
      return store16(element, value, kBf16);
  }
  throw std::logic_error("a dtype that store_from_double lacks");
}

}  // namespace hiptune
