#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mutants/rmsnorm_mutants.hpp"

// What lists of RMSNorm's mutants are written with: texts of its template, and ways to say where a fault shows.
namespace hiptune::test {

inline const std::string kScale = "hiptune::rsqrt(sum * inverse_cols + epsilon)";
inline const std::string kInverse = "float inverse = 1.0f / static_cast<float>(cols)";
inline const std::string kProduct = "return x * scale * hiptune::to_float(w);";
inline const std::string kWrite = "y[i] = scaled(y[i], scale, w[i]);";
inline const std::string kStore = "store_vector<kStore>(share.y + Share::offset(k)";
inline const std::string kSquare = "return x[0] * x[0];";
inline const std::string kRowsShare = "share_of_row(x + r * x_stride, w, y + r * y_stride, cols, part, thread)";
inline const std::string kScaleShare = "share_of_row(x + place.row * x_stride, w, y + place.row * y_stride";
inline const std::string kWritten = "write_element(y[r * y_stride + c], from[c], scale, w, c);";
inline const std::string kTailWritten = "write_element(share.y[c], kept.tail, scale, share.w, c);";
inline const std::string kElement = "scaled(hiptune::to_float(x), scale, kHasWeight ? w[c] : w_t{})";
inline const std::string kIsRow = "(ROWS_PER_BLOCK == 1 && AHEAD == Ahead::no) || first + row < rows;";
inline const std::string kBarrier = "hiptune::barrier();";
// A comment that every thread of a block passes once per row, after its results and before the next row.
inline const std::string kAfterRow = "// Every thread has read lds[0] before the next row's sums overwrite it.";
inline const std::string kUnwritten = "is nan, the oracle says";
inline const std::string kTooFar = "the oracle says";
inline const std::string kFar = "2^31 elements apart";

// A float without its last bits, 16 for what bfloat16 holds, 13 for what f16 does: rounded toward zero. No arithmetic:
// a compiler that fuses multiplications and additions undoes that.
inline std::string without_bits(int bits, const std::string& value) {
  return "__builtin_bit_cast(float, __builtin_bit_cast(unsigned, " + value + ") >> " + std::to_string(bits) + " << " +
         std::to_string(bits) + ")";
}

inline std::string stored(const std::string& value) {
  return "hiptune::to_float(hiptune::from_float<scalar_t>(" + value + "))";
}

inline Mutation in(const std::string& setting, Mutation mutation) {
  mutation.setting = setting;
  return mutation;
}

inline Mutation after_row(const std::string& name, const std::string& code, const std::string& caught_by) {
  return in("block", {name, kAfterRow, code, {}, caught_by});
}

inline Mutation on_host(Mutation mutation) {
  mutation.only_on_host = true;
  return mutation;
}

inline Mutation with_far_rows(Mutation mutation) {
  mutation.needs_far_rows = true;
  mutation.caught_by = kFar;
  return mutation;
}

inline Mutation for_precheck(const std::string& setting, Mutation mutation) {
  mutation.needs_precheck = true;
  return on_host(in(setting, std::move(mutation)));
}

// One mutation for each of the pattern's occurrences, in order, each with its setting.
inline Mutations each(const Mutation& mutation, const std::vector<std::string>& settings) {
  Mutations all;
  for (const std::string& setting : settings) {
    all.push_back(in(setting, mutation));
    all.back().occurrence = static_cast<int>(all.size());
  }
  return all;
}

// The same fault in several settings.
inline Mutations in_each(const std::vector<std::string>& settings, const Mutation& mutation) {
  Mutations all;
  for (const std::string& setting : settings) all.push_back(in(setting, mutation));
  return all;
}

inline void append(Mutations& to, const Mutations& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace hiptune::test
