#include "mutants/rmsnorm_mutants.hpp"

#include <stdexcept>

namespace hiptune::test {
namespace {

const std::string kScale = "hiptune::rsqrt(sum * inverse_cols + epsilon)";
const std::string kInverse = "const float inverse_cols = 1.0f / static_cast<float>(cols)";
const std::string kProduct = "return x * scale * hiptune::to_float(w);";
const std::string kWrite = "y[i] = scaled(y[i], scale, w[i]);";
const std::string kStore = "store_vector<kStore>(share.y + Share::offset(k)";
const std::string kSquare = "return x[0] * x[0];";
const std::string kRowsShare = "share_of_row(x + r * x_stride, w, y + r * y_stride, cols, part, thread)";
const std::string kScaleShare = "share_of_row(x + place.row * x_stride, w, y + place.row * y_stride";
const std::string kWritten = "write_element(y[r * y_stride + c], from[c], scale, w, c);";
const std::string kBarrier = "hiptune::barrier();";
// A comment that every thread of a block passes once per row, after its results and before the next row.
const std::string kAfterRow = "// Every thread has read lds[0] before the next row's sums overwrite it.";
const std::string kUnwritten = "is nan, the oracle says";
const std::string kTooFar = "the oracle says";
const std::string kFar = "2^31 elements apart";

// A float without its last bits, 16 for what bfloat16 holds, 13 for what f16 does: rounded toward zero. No arithmetic:
// a compiler that fuses multiplications and additions undoes that.
std::string without_bits(int bits, const std::string& value) {
  return "__builtin_bit_cast(float, __builtin_bit_cast(unsigned, " + value + ") >> " + std::to_string(bits) + " << " +
         std::to_string(bits) + ")";
}

std::string stored(const std::string& value) {
  return "hiptune::to_float(hiptune::from_float<scalar_t>(" + value + "))";
}

Mutation in(const std::string& setting, Mutation mutation) {
  mutation.setting = setting;
  return mutation;
}

Mutation after_row(const std::string& name, const std::string& code, const std::string& caught_by) {
  return in("block", {name, kAfterRow, code, {}, caught_by});
}

Mutation on_host(Mutation mutation) {
  mutation.only_on_host = true;
  return mutation;
}

Mutation with_far_rows(Mutation mutation) {
  mutation.needs_far_rows = true;
  mutation.caught_by = kFar;
  return mutation;
}

Mutation for_precheck(const std::string& setting, Mutation mutation) {
  mutation.needs_precheck = true;
  return on_host(in(setting, std::move(mutation)));
}

// One mutation for each of the pattern's occurrences, in order, each with its setting.
Mutations each(const Mutation& mutation, const std::vector<std::string>& settings) {
  Mutations all;
  for (const std::string& setting : settings) {
    all.push_back(in(setting, mutation));
    all.back().occurrence = static_cast<int>(all.size());
  }
  return all;
}

// The same fault in several settings.
Mutations in_each(const std::vector<std::string>& settings, const Mutation& mutation) {
  Mutations all;
  for (const std::string& setting : settings) all.push_back(in(setting, mutation));
  return all;
}

void append(Mutations& to, const Mutations& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

Mutations wrong_formulas() {
  return {
      in("registers", {"padding is counted in the mean", kInverse,
                       "const float inverse_cols = 1.0f / static_cast<float>((cols + kWidth - 1) / kWidth * kWidth)"}),
      in("lds", {"the mean is over whole vectors", kInverse,
                 "const float inverse_cols = 1.0f / static_cast<float>(cols / kWidth * kWidth)"}),
      in("split", {"the mean is over a part of the row",
                   "write_share(share, kept, scale_of(sum, 1.0f / static_cast<float>(cols), epsilon))",
                   "write_share(share, kept, scale_of(sum, 1.0f / static_cast<float>(cols / SPLIT), epsilon))"}),
      in("unfused", {"the mean is over the rows", "scale_of(sums[r], 1.0f / static_cast<float>(cols), epsilon)",
                     "scale_of(sums[r], 1.0f / static_cast<float>(rows), epsilon)"}),
      in("registers", {"epsilon is added to the root", kScale, "1.0f / (hiptune::sqrt(sum * inverse_cols) + epsilon)"}),
      in("split", {"epsilon is added to the scale", kScale, "(hiptune::rsqrt(sum * inverse_cols) + epsilon)"}),
      in("block", {"epsilon is forgotten", kScale, "hiptune::rsqrt(sum * inverse_cols)"}),
      in("serial", {"epsilon is compiled in", kScale, "hiptune::rsqrt(sum * inverse_cols + 1e-5f)"}),
      in("unfused", {"the root is forgotten", kScale, "(1.0f / (sum * inverse_cols + epsilon))"}),
      in("registers",
         {"the scale is off by one part in 100000, within an absolute limit of 2e-5", kScale, "1.00001f * " + kScale}),
      in("held", {"the weight is forgotten", kProduct, "return x * scale;"}),
      in("no weight", {"without a weight, the scale is forgotten", "return x * scale;", "return x;"}),
      in("registers", {"all vectors have the weights of the first", "share.w + Share::offset(k)", "share.w"}),
      in("early", {"all vectors hold the weights of the first", "if (share.has(k)) weights[k] = weights_of(share, k);",
                   "if (share.has(k)) weights[k] = weights_of(share, 0);"}),
      in("held", {"a held weight is that of the vector before", "if (share.has(k)) weights[k] = weights_of(share, k);",
                  "if (share.has(k)) weights[k] = weights_of(share, k == 0 ? 0 : k - 1);"}),
      in("registers", {"the tail has the weight of the thread's first vector", "kHasWeight ? share.w[c] : w_t{}",
                       "kHasWeight ? share.w[0] : w_t{}"}),
      in("rows", {"the weight is indexed like x", kRowsShare,
                  "share_of_row(x + r * x_stride, w + r * kWidth, y + r * y_stride, cols, part, thread)"}),
      in("block", {"the weight is indexed by row", kWritten,
                   "write_element(y[r * y_stride + c], from[c], scale, w, r % cols);", 2}),
      in("serial", {"the weight is another column's", kWritten,
                    "write_element(y[r * y_stride + c], from[c], scale, w, c == 0 ? cols - 1 : c - 1);", 1}),
  };
}

Mutations wrong_special_values() {
  return {
      in("registers",
         {"NaN is lost from the sum", kSquare, "return hiptune::max(0.0f, x[0] * x[0]);", {}, "NaN in a row"}),
      in("registers",
         {"Inf is clamped in the sum", kSquare, "return hiptune::min(x[0] * x[0], 3e38f);", {}, "Inf in a row"}),
      in("read again", {"NaN is replaced in the output",
                        kWrite,
                        "y[i] = y[i] == y[i] ? scaled(y[i], scale, w[i]) : 0.0f;",
                        {},
                        "NaN in a row"}),
      in("registers",
         {"NaN is lost from the weight",
          kProduct,
          "return x * scale * (hiptune::to_float(w) == hiptune::to_float(w) ? hiptune::to_float(w) : 0.0f);",
          {},
          "NaN in a vector"}),
      in("registers",
         {"nothing is written where the result is NaN", kStore, "if (scale == scale) " + kStore, {}, "a second run"}),
      in("registers", {"huge values overflow", kSquare, "return x[0] * x[0] * 1e10f * 1e-10f;", {}, "huge"}),
      in("unfused", {"tiny values are flushed to zero",
                     kProduct,
                     "return hiptune::abs(hiptune::to_float(w)) < 1e-12f ? 0.0f : x * scale * hiptune::to_float(w);",
                     {},
                     "tiny"}),
      in("registers", {"the output is kept where it is no NaN",
                       kStore,
                       "if (share.y[Share::offset(k)] != share.y[Share::offset(k)]) " + kStore,
                       {},
                       "in a second run only"}),
      in("lds", {"the product is added to what the output held",
                 kWrite,
                 "y[i] = scaled(y[i], scale, w[i]) + 0.0f * share.y[Share::offset(k) + i];",
                 {},
                 kUnwritten}),
  };
}

// Of 16-bit results the limit is half a unit in the last place and 5 %: one rounding, to nearest.
Mutations wrong_roundings() {
  const std::string twice = "return " + stored("x * scale") + " * hiptune::to_float(w);";
  const std::string tail = "scaled(hiptune::to_float(kept.tail), scale, w)";
  const std::string element = "scaled(hiptune::to_float(x), scale, kHasWeight ? w[c] : w_t{})";
  Mutations all = in_each({"early", "held", "serial, bf16", "unfused, f16"},
                          {"rounded before the weight, and then again", kProduct, twice, {}, kTooFar});
  append(
      all,
      {in("early", {"a bf16 result is rounded toward zero",
                    kWrite,
                    "y[i] = " + without_bits(16, "scaled(y[i], scale, w[i])") + ";",
                    {},
                    kTooFar}),
       in("held", {"an f16 result is rounded toward zero",
                   kWrite,
                   "y[i] = " + without_bits(13, "scaled(y[i], scale, w[i])") + ";",
                   {},
                   kTooFar}),
       in("in place",
          {"the bf16 results of the tail are rounded toward zero", tail, without_bits(16, tail), {}, kTooFar}),
       in("serial, bf16",
          {"the bf16 results of a baseline are rounded toward zero", element, without_bits(16, element), {}, kTooFar}),
       in("unfused, f16",
          {"the f16 results of a baseline are rounded toward zero", element, without_bits(13, element), {}, kTooFar}),
       in("rows", {"an f32 weight is rounded to f16",
                   kProduct,
                   "return x * scale * " + stored("hiptune::to_float(w)") + ";",
                   {},
                   kTooFar}),
       in("no weight", {"the scale is rounded to bf16", kScale, stored(kScale), {}, kTooFar}),
       in("registers", {"an f32 result is rounded to bf16",
                        kWrite,
                        "y[i] = " + without_bits(16, "scaled(y[i], scale, w[i])") + ";",
                        {},
                        kTooFar}),
       in("registers", {"the sum is accumulated in bf16",
                        "sum += squares_of(kept.registers[k]);",
                        "sum = " + without_bits(16, "(sum + squares_of(kept.registers[k]))") + ";",
                        {},
                        kTooFar}),
       in("serial, bf16", {"a serial sum is accumulated in bf16",
                           "++c) sum += square_of(from[c]);",
                           "++c) sum = " + without_bits(16, "(sum + square_of(from[c]))") + ";",
                           {},
                           kTooFar}),
       in("held",
          {"squares overflow to infinity in f16", kSquare, "return " + stored("x[0] * x[0]") + ";", {}, kTooFar}),
       in("held", {"x times the weight overflows in f16",
                   kProduct,
                   "return " + stored("x * hiptune::to_float(w)") + " * scale;",
                   {},
                   kTooFar}),
       in("held", {"subnormal f16 results are flushed to zero",
                   kWrite,
                   "y[i] = hiptune::abs(scaled(y[i], scale, w[i])) < 6.1e-5f ? 0.0f : scaled(y[i], scale, w[i]);",
                   {},
                   "is 0, the oracle says"})});
  return all;
}

Mutations wrong_kept_rows() {
  const std::string ahead = "if (first + step < rows) kept.load_ahead(all.share(first + step));";
  Mutations all = in_each({"registers", "narrow", "rows", "read again, bf16"},
                          {"the tail is dropped", "if (!share.has_tail()) return;", "return;", {}, kUnwritten});
  append(all, in_each({"registers", "rows in LDS"},
                      {"the sum leaves out the tail", "float sum = square_of(kept.tail);", "float sum = 0.0f;"}));
  append(all, {in("registers", {"the last vector is dropped",
                                "vectors - thread, tail, thread}",
                                "vectors - thread - 1, tail, thread}",
                                {},
                                kUnwritten}),
               in("early", {"the first vector in registers is not summed", "k = 0; k < REGISTER_VECTORS; ++k) sum",
                            "k = 1; k < REGISTER_VECTORS; ++k) sum"}),
               in("registers", {"what follows the row is counted in the sum",
                                "if (share.has(k)) x = load_vector<kWidth, kLoad>", "x = load_vector<kWidth, kLoad>"}),
               in("lds", {"the first vector in LDS is not summed", "if (share.has(REGISTER_VECTORS + k)) sum",
                          "if (k > 0 && share.has(REGISTER_VECTORS + k)) sum"}),
               on_host(in("lds", {"vectors in LDS that the row does not have are summed",
                                  "if (share.has(REGISTER_VECTORS + k)) sum",
                                  "sum",
                                  {},
                                  kUnwritten})),
               in("lds", {"a thread's vectors overlap with the next thread's in LDS",
                          "return lds + k * (kBlock * kWidth);", "return lds + k * kWidth;"}),
               in("lds", {"what is kept in LDS begins among the sums", "reinterpret_cast<scalar_t*>(lds + kKeptOffset)",
                          "reinterpret_cast<scalar_t*>(lds)"}),
               in("lds", {"all of a thread's vectors in LDS are the first",
                          "copy_to_lds<kWidth>(place(k), share.x + Share::offset(REGISTER_VECTORS + k))",
                          "copy_to_lds<kWidth>(place(k), share.x + Share::offset(REGISTER_VECTORS))"}),
               in("rows in LDS",
                  {"rows side by side share what is kept in LDS", "+ threadIdx.x * kWidth;", "+ thread * kWidth;"}),
               in("rows in LDS",
                  {"rows side by side share their scratch", "one_barrier_sum(lds + row * kRowWaves, sum, thread)",
                   "one_barrier_sum(lds, sum, thread)"}),
               in("rows", {"blocks step by one row, and not by as many as they have",
                           "static_cast<int64>(blockIdx.x / SPLIT) * ROWS_PER_BLOCK",
                           "static_cast<int64>(blockIdx.x / SPLIT)"}),
               in("rows", {"the last rows of a ragged block are skipped",
                           "ROWS_PER_BLOCK == 1 || first + row < rows;",
                           "ROWS_PER_BLOCK == 1 || first + ROWS_PER_BLOCK <= rows;",
                           {},
                           kUnwritten}),
               in("ahead", {"the row that is loaded ahead is this one again", ahead,
                            "if (first + step < rows) kept.load_ahead(all.share(first));"}),
               on_host(in("ahead", {"the next row overwrites this one before it is taken", "kept.take(share);",
                                    "{ " + ahead + " kept.take(share); }"})),
               on_host(in("ahead", {"stale vectors are taken from LDS",
                                    "if (share.has(k)) registers[k] = load_vector<kWidth>(place(k));",
                                    "registers[k] = load_vector<kWidth>(place(k));"})),
               in("held", {"a persistent block has one row only",
                           "first < rows; first += step",
                           "first < rows; first += rows",
                           {},
                           kUnwritten})});
  return all;
}

Mutations wrong_rereads() {
  const std::string batch_writes = "for (int i = 0; i < kWriteBatch && first + i < N; ++i)";
  const std::string again = "write_again(share, scale);";
  return {
      in("read again", {"half of a batch is not written", batch_writes,
                        "for (int i = 0; i < kWriteBatch / 2 && first + i < N; ++i)", 2, kUnwritten}),
      in("read again", {"half of a batch has no weights", batch_writes,
                        "for (int i = 0; i < kWriteBatch / 2 && first + i < N; ++i)", 1}),
      in("read again", {"half of a batch is not summed", "for (int i = 0; i < UNROLL; ++i) sum",
                        "for (int i = 0; i < UNROLL / 2; ++i) sum"}),
      in("read again", {"the first batch is not written",
                        "first >= kKept; first -= kBatch",
                        "first > kKept; first -= kBatch",
                        {},
                        kUnwritten}),
      in("read again, bf16", {"a batch that is not full is not written",
                              "(steps - kKept + kBatch - 1) / kBatch",
                              "(steps - kKept) / kBatch",
                              {},
                              kUnwritten}),
      in("read again, some kept", {"vectors in registers are summed twice", "for (int first = kKept; share.has(first)",
                                   "for (int first = 0; share.has(first)"}),
      in("read again, some kept",
         {"the first vector behind those in registers is skipped", "for (int first = kKept; share.has(first)",
          "for (int first = kKept + 1; share.has(first)"}),
      in("read again in place", {"batches overlap: what is written is read again", "first >= kKept; first -= kBatch",
                                 "first >= kKept; first -= 1"}),
      in("read again in place", {"a row is written twice", again, "{ " + again + " " + again + " }"}),
      in("read again in place",
         {"the output is cleared before the tail is read for the last time", "hiptune::to_float(kept.tail), scale, w)",
          "hiptune::to_float((share.y[c] = hiptune::from_float<scalar_t>(0.0f), share.x[c])), scale, w)"}),
  };
}

Mutations wrong_splits() {
  const std::string partial = "sum += partials[place.row * SPLIT + i];";
  const std::string from_x =
      "for (int64 c = 0; i == 0 && c < cols; ++c) sum += square_of(x[place.row * x_stride + c]);";
  return {
      in("split", {"the last part's sum is left out", "for (int i = 0; i < SPLIT; ++i) sum",
                   "for (int i = 0; i < SPLIT - 1; ++i) sum"}),
      in("split", {"all rows have the sums of the first", partial, "sum += partials[i];"}),
      in("split", {"the parts of a row share a place for their sum", "partials[block] = sum;",
                   "partials[place.row * SPLIT] = sum;"}),
      in("split",
         {"a vector is lost between the parts", "(vectors + SPLIT - 1) / SPLIT", "vectors / SPLIT", {}, kUnwritten}),
      in("split", {"every part has a tail", "part == SPLIT - 1 ? tail : 0", "tail"}),
      in("split", {"no part has a tail", "part == SPLIT - 1 ? tail : 0", "0", {}, kUnwritten}),
      in("split", {"a sum of zero is not stored",
                   "if (thread == 0) partials[block] = sum;",
                   "if (thread == 0 && sum != 0.0f) partials[block] = sum;",
                   {},
                   kUnwritten}),
      in("split", {"the second launch takes the weights of the first part", kScaleShare,
                   "share_of_row(x + place.row * x_stride, place.part == 0 ? w : w - (cols / kWidth + 1) / 2 * kWidth, "
                   "y + place.row * y_stride"}),
      on_host(in("split in place", {"the second launch sums a row that others are writing already", partial, from_x})),
  };
}

Mutations wrong_accesses() {
  Mutations all{
      in("registers", {"a row is written one column too far", "share.y[c] = hiptune::from_float<scalar_t>",
                       "share.y[share.thread + 1 == share.tail ? c + 1 : c] = share.y[c] = "
                       "hiptune::from_float<scalar_t>"}),
      in("registers", {"the tail is a column too long", "bool has_tail() const { return thread < tail; }",
                       "bool has_tail() const { return thread <= tail; }"}),
      in("registers",
         {"a row has a vector too many", "return k * ROW_THREADS < vectors;", "return k * ROW_THREADS <= vectors;"}),
      after_row("the gap after a row is written",
                "if (thread == 0 && y_stride > cols && r + 1 < rows) y[r * y_stride + cols] = 0.0f;",
                "y: wrote in the gap after row 0"),
      after_row("the guard before the output is written", "if (thread == 0 && r == 0) y[-1] = 0.0f;",
                "y: wrote 4 bytes before its first element"),
      after_row("the guard behind an input is written", "if (thread == 0 && r == 0) const_cast<w_t*>(w)[cols] = 0.0f;",
                "w: wrote 1 elements past its end"),
      after_row("an input is modified", "if (thread == 0) const_cast<scalar_t*>(x)[r * x_stride] = 0.5f;",
                "x: an input was modified"),
      in("serial", {"the sum reads past the end of a row",
                    "for (int64 c = 0; c < cols; ++c) sum",
                    "for (int64 c = 0; c < cols + 1; ++c) sum",
                    {},
                    kUnwritten}),
      in("serial", {"the last row is skipped", "r < rows; r += threads", "r < rows - 1; r += threads", {}, kUnwritten}),
      in("serial", {"a thread has one row only", "r < rows; r += threads", "r < rows; r += rows", {}, kUnwritten}),
      in("registers",
         {"the last row is skipped", "first < rows; first += step", "first < rows - 1; first += step", {}, kUnwritten}),
      in("unfused", {"a row's squares overwrite the last row's", "squares[r * cols + c] = ", "squares[c] = "}),
      in("unfused", {"all rows have one sum",
                     "if (thread == 0) sums[r] = sum;",
                     "if (thread == 0) sums[0] = sum;",
                     {},
                     kUnwritten}),
  };
  append(all,
         each({"the last row is skipped", "r < rows; r += gridDim.x", "r < rows - 1; r += gridDim.x", {}, kUnwritten},
              {"block", "unfused", "unfused", "unfused"}));
  append(all, each({"the last part of the last row is skipped",
                    "block < rows * SPLIT;",
                    "block < rows * SPLIT - 1;",
                    {},
                    kUnwritten},
                   {"split", "split"}));
  return all;
}

Mutations wrong_strides() {
  const std::string x_is_y = "share_of_row(x + r * y_stride, w, y + r * y_stride, cols, part, thread)";
  const std::string y_is_x = "share_of_row(x + r * x_stride, w, y + r * x_stride, cols, part, thread)";
  Mutations all{
      in("registers", {"the stride of x is that of y", kRowsShare, x_is_y}),
      in("rows", {"the stride of y is that of x", kRowsShare, y_is_x}),
      in("split", {"the stride of x is ignored", "x + place.row * x_stride, nullptr",
                   "x + place.row * ((cols + kWidth - 1) / kWidth * kWidth), nullptr"}),
      in("split", {"the stride of x is that of y", kScaleShare,
                   "share_of_row(x + place.row * y_stride, w, y + place.row * y_stride"}),
      in("split", {"the stride of y is that of x", kScaleShare,
                   "share_of_row(x + place.row * x_stride, w, y + place.row * x_stride"}),
      in("unfused", {"the stride of y is that of x", "write_element(y[r * y_stride + c], x[r * x_stride + c]",
                     "write_element(y[r * x_stride + c], x[r * x_stride + c]"}),
      with_far_rows(in("registers",
                       {"the offset of a row of x is kept in 32 bits", kRowsShare,
                        "share_of_row(x + static_cast<int>(r) * static_cast<int>(x_stride), w, y + r * y_stride, cols, "
                        "part, thread)"})),
      with_far_rows(in("registers",
                       {"the offset of a row of y is kept in 32 bits", kRowsShare,
                        "share_of_row(x + r * x_stride, w, y + static_cast<int>(r * y_stride), cols, part, thread)"})),
      with_far_rows(in("unfused", {"the offset of a row of y is kept in 32 bits",
                                   "write_element(y[r * y_stride + c], x[r * x_stride + c]",
                                   "write_element(y[static_cast<int>(r * y_stride) + c], x[r * x_stride + c]"})),
      with_far_rows(in("split", {"the offset of a row of x is kept in 32 bits", "x + place.row * x_stride, nullptr",
                                 "x + static_cast<int>(place.row * x_stride), nullptr"})),
  };
  append(all,
         each({"the stride of x is ignored", "from = x + r * x_stride;", "from = x + r * cols;"}, {"serial", "block"}));
  append(all, each({"the stride of x is ignored by whole vectors",
                    "from = x + r * x_stride;",
                    "from = x + r * (cols % 4 == 0 ? cols : x_stride);",
                    {},
                    "rows=7 cols=256"},
                   {"serial", "block"}));
  append(all, each({"the stride of x is that of the squares", "x[r * x_stride + c]", "x[r * cols + c]"},
                   {"unfused", "unfused"}));
  append(all, each({"the stride of y is ignored", kWritten, "write_element(y[r * cols + c], from[c], scale, w, c);"},
                   {"serial", "block"}));
  append(all, each(with_far_rows({"the offset of a row of x is kept in 32 bits", "from = x + r * x_stride;",
                                  "from = x + static_cast<int>(r * x_stride);"}),
                   {"serial", "block"}));
  return all;
}

Mutations wrong_reductions() {
  const std::string of_wave = "if (hiptune::lane() == 0) lds[thread / WAVE_SIZE] = sum;";
  Mutations all{
      in("rows", {"rows of a wave are summed together", "hiptune::group_sum<ROW_THREADS>(sum)",
                  "hiptune::group_sum<WAVE_SIZE>(sum)"}),
      in("rows", {"half of a row's threads are summed", "hiptune::group_sum<ROW_THREADS>(sum)",
                  "hiptune::group_sum<ROW_THREADS / 2>(sum)"}),
      in("registers", {"half of a wave is summed", "sum = hiptune::group_sum<WAVE_SIZE>(sum);",
                       "sum = hiptune::group_sum<WAVE_SIZE / 2>(sum);", 1}),
      in("registers", {"only the first wave is summed", "lds[hiptune::lane() % kRowWaves]", "lds[0]"}),
      on_host(in("registers", {"waves have the other device's width", of_wave,
                               "if (hiptune::lane() == 0) lds[thread / (96 - WAVE_SIZE)] = sum;"})),
      on_host(in("registers", {"a wave's sum of zero leaves the scratch stale",
                               of_wave,
                               "if (hiptune::lane() == 0 && sum != 0.0f) lds[thread / WAVE_SIZE] = sum;",
                               {},
                               kUnwritten})),
      on_host(in("registers",
                 {"rows of a loop use one half of the scratch", "first += step, half = 1 - half", "first += step"})),
      on_host(in("registers", {"the halves of the scratch overlap", "sums + half * kReductionFloats, sum, thread, row",
                               "sums + half, sum, thread, row"})),
      on_host(in("split", {"parts of a loop use one half of the scratch", "block += gridDim.x, half = 1 - half",
                           "block += gridDim.x"})),
      in("tree", {"the tree ends a step early", "stride > 0", "stride > 1"}),
      in("tree", {"threads return sums of their own", "return lds[0];", "return lds[thread];"}),
      in("shuffle tail", {"the tree ends a step early, before the tail", "stride >= width", "stride > width"}),
      in("shuffle tail", {"the tail sums what the tree has not summed", "group_sum<width>(lds[thread % width])",
                          "group_sum<width>(sum)"}),
      in("shuffle tail", {"each wave sums its own part of the scratch", "group_sum<width>(lds[thread % width])",
                          "group_sum<width>(lds[thread])"}),
      in("shuffle tail", {"the tail leaves out a lane", "group_sum<width>(lds[thread % width])",
                          "group_sum<width>(thread % width == width - 1 ? 0.0f : lds[thread % width])"}),
      on_host(in("tree", {"sums are read that nobody wrote", "  lds[thread] = sum;",
                          "  lds[thread] = sum + 0.0f * lds[thread];", 1})),
      on_host(after_row("a row reads the result of the row before",
                        "if (thread == 0 && r > 0) y[r * y_stride] += 0.0f * y[(r - 1) * y_stride];", "")),
      on_host(after_row("the last of several writers wins, by one unit in the last place",
                        "y[r * y_stride] = x[r * x_stride] * scale * w[0] * (thread % 2 ? 1.0000001f : 1);",
                        "in a second run only")),
  };
  append(all, each({"the tree leaves out threads", "int stride = ROW_THREADS / 2", "int stride = ROW_THREADS / 4"},
                   {"tree", "shuffle tail"}));
  append(all, each(on_host({"the tree reads one beyond", "lds[thread + stride]", "lds[thread + stride + 1]"}),
                   {"tree", "shuffle tail"}));
  append(all, each(on_host({"a sum of zero leaves the scratch stale", "lds[thread] = sum;",
                            "if (sum != 0.0f) lds[thread] = sum;"}),
                   {"tree", "shuffle tail"}));
  return all;
}

Mutations divergences() {
  const std::string thread_in_block = "const int thread = static_cast<int>(threadIdx.x);";
  Mutations all{
      in("registers",
         {"half of the wave shuffles", "sum = hiptune::group_sum<WAVE_SIZE>(sum);",
          "if (hiptune::lane() < WAVE_SIZE / 2) sum = hiptune::group_sum<WAVE_SIZE>(sum);", 1, "divergent shuffle"}),
      in("rows",
         {"rows of a wave shuffle at two places",
          "return hiptune::group_sum<ROW_THREADS>(sum);",
          "return row % 2 == 0 ? hiptune::group_sum<ROW_THREADS>(sum) : hiptune::group_sum<ROW_THREADS>(sum, 0);",
          {},
          "divergent shuffle"}),
      in("tree", {"half of the block meets in the tree", kBarrier, "if (thread < ROW_THREADS / 2) " + kBarrier, 1,
                  "divergent barrier"}),
      in("shuffle tail", {"half of the block meets before the tail", kBarrier,
                          "if (thread < ROW_THREADS / 2) " + kBarrier, 4, "divergent barrier"}),
      in("tree", {"threads without a vector leave the loop", "float sum = sum_of_share(share, kept);",
                  "if (share.vectors <= 0) break; float sum = sum_of_share(share, kept);"}),
      in("block", {"threads without a column return early", thread_in_block,
                   thread_in_block + " if (thread >= cols) return;", 2}),
  };
  for (Mutation& mutation : all) mutation.only_on_host = true;
  return all;
}

Mutations missing_barriers(const std::string& text) {
  // Not the last of the template's seven: of rmsnorm_reduce's threads the first alone uses the sum, and nobody else
  // reads or writes lds[0] after the tree's own last barrier.
  const std::vector<std::string> settings{"tree", "tree", "shuffle tail", "shuffle tail", "registers", "block"};
  if (count_of(kBarrier, text) != static_cast<int>(settings.size()) + 1)
    throw std::invalid_argument("RMSNorm's barriers have changed: look at what the mutants of them name");
  return each(on_host({"a barrier is missing", kBarrier, ";"}), settings);
}

Mutations hidden_faults() {
  const std::string ahead = "if (first + step < rows) kept.load_ahead(all.share(first + step));";
  return {
      for_precheck("block", {"every thread writes the same result",
                             kAfterRow,
                             "y[r * y_stride] = x[r * x_stride] * scale * w[0];",
                             {},
                             "race: "}),
      for_precheck("split", {"every thread writes the part's sum",
                             "if (thread == 0) partials[block] = sum;",
                             "partials[block] = sum;",
                             {},
                             "race: "}),
      for_precheck(
          "unfused",
          {"every thread writes the row's sum", "if (thread == 0) sums[r] = sum;", "sums[r] = sum;", {}, "race: "}),
      for_precheck("registers", {"every lane writes the wave's sum",
                                 "if (hiptune::lane() == 0) lds[thread / WAVE_SIZE] = sum;",
                                 "lds[thread / WAVE_SIZE] = sum;",
                                 {},
                                 "race: "}),
      for_precheck("block", {"a row is written by two blocks",
                             kAfterRow,
                             "if (thread == 0 && r == 0 && rows > 1) y[y_stride] = x[x_stride];",
                             {},
                             "of block "}),
      for_precheck("block", {"an input is written with what it holds",
                             kAfterRow,
                             "if (thread == 0) const_cast<w_t*>(w)[0] = static_cast<const volatile w_t*>(w)[0];",
                             {},
                             "w, which is an input"}),
      for_precheck("serial", {"a read past the end counts nothing", "const scalar_t* from = x + r * x_stride;",
                              "const scalar_t* from = x + r * x_stride; if (from[cols] > 3e38f && cols < 0) return;", 1,
                              "out of bounds: "}),
      for_precheck("early", {"weights are loaded that there are not",
                             "if (share.has(k)) weights[k] = weights_of(share, k);",
                             "weights[k] = weights_of(share, k);",
                             {},
                             "out of bounds: "}),
      for_precheck("lds", {"vectors are copied to LDS that there are not", "if (share.has(REGISTER_VECTORS + k))", "",
                           1, "out of bounds: "}),
      for_precheck("ahead", {"the row behind the last is loaded ahead",
                             ahead,
                             "kept.load_ahead(all.share(first + step));",
                             {},
                             "out of bounds: "}),
      for_precheck("read again", {"weights of a batch are loaded that there are not",
                                  "if (share.has(first + i)) w[i] = weights_of",
                                  "w[i] = weights_of",
                                  {},
                                  "out of bounds: "}),
      for_precheck("read again", {"what a batch does not have is read",
                                  "if (share.has(i)) x[i] = load_vector<kWidth, cache>",
                                  "x[i] = load_vector<kWidth, cache>",
                                  {},
                                  "out of bounds: "}),
  };
}

}  // namespace hiptune::test
