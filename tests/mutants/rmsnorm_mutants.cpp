#include "mutants/rmsnorm_mutants.hpp"

namespace hiptune::test {
namespace {

const std::string kSum = "c < cols; c += threads) sum";
const std::string kWrite = "c < cols; c += threads) y[c]";
const std::string kScale = "hiptune::rsqrt(sum / static_cast<float>(cols) + epsilon)";
const std::string kProduct = "y[c] = x[c] * scale * w[c]";
const std::string kSquare = "sum += x[c] * x[c]";
const std::string kBarrier = "hiptune::barrier();";
// A comment that every thread of a block passes once per row, after its results and before the next row.
const std::string kAfterRow = "// Every thread has read lds[0] before the next row's sums overwrite it.";
const std::string kUnwritten = "is nan, the oracle says";
const std::string kTooFar = "the oracle says";

// The upper 16 bits of a float. No arithmetic: a compiler that fuses multiplications and additions undoes that.
std::string bfloat16(const std::string& value) {
  return "__builtin_bit_cast(float, __builtin_bit_cast(unsigned, " + value + ") & 0xffff0000u)";
}

Mutation after_row(const std::string& name, const std::string& code, const std::string& caught_by) {
  return {name, kAfterRow, code, {}, caught_by};
}

Mutation on_host(Mutation mutation) {
  mutation.only_on_host = true;
  return mutation;
}

Mutation with_far_rows(Mutation mutation) {
  mutation.needs_far_rows = true;
  return mutation;
}

// One mutation for each of the pattern's occurrences.
std::vector<Mutation> each(const Mutation& mutation, int occurrences) {
  std::vector<Mutation> all(static_cast<std::size_t>(occurrences), mutation);
  for (int i = 0; i < occurrences; ++i) {
    all[static_cast<std::size_t>(i)].name += " (" + std::to_string(i + 1) + ")";
    all[static_cast<std::size_t>(i)].occurrence = i + 1;
  }
  return all;
}

void append(std::vector<Mutation>& to, const std::vector<Mutation>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<Mutation> wrong_formulas() {
  return {
      {"the mean is over whole blocks", "static_cast<float>(cols)",
       "static_cast<float>((cols + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE)"},
      {"the sum leaves out the last column", kSum, "c < cols - 1; c += threads) sum"},
      {"epsilon is added to the root", kScale, "1.0f / (hiptune::sqrt(sum / static_cast<float>(cols)) + epsilon)"},
      {"epsilon is added to the scale", kScale, "(hiptune::rsqrt(sum / static_cast<float>(cols)) + epsilon)"},
      {"epsilon is forgotten", "cols) + epsilon)", "cols))"},
      {"epsilon is compiled in", "cols) + epsilon)", "cols) + 1e-5f)"},
      {"the weight is forgotten", kProduct, "y[c] = x[c] * scale"},
      {"the weight is another column's", kProduct, "y[c] = x[c] * scale * w[c == 0 ? cols - 1 : c - 1]"},
      {"the root is forgotten", kScale, "1.0f / (sum / static_cast<float>(cols) + epsilon)"},
      {"the scale is off by one part in 100000, within an absolute limit of 2e-5", kScale, "1.00001f * " + kScale},
      {"the sum is accumulated in bfloat16", kSquare, "sum = " + bfloat16("(sum + x[c] * x[c])"), {}, kTooFar},
      {"the product is rounded to bfloat16", kProduct, "y[c] = " + bfloat16("(x[c] * scale * w[c])"), {}, kTooFar},
      {"NaN is lost from the sum", kSquare, "sum += hiptune::max(0.0f, x[c] * x[c])", {}, "NaN in a row"},
      {"Inf is clamped in the sum", kSquare, "sum += hiptune::min(x[c] * x[c], 3e38f)", {}, "Inf in a row"},
      {"NaN is replaced in the output",
       kProduct,
       "y[c] = x[c] == x[c] ? x[c] * scale * w[c] : 0.0f",
       {},
       "NaN in a row"},
      {"NaN is lost from the weight",
       kProduct,
       "y[c] = x[c] * scale * (w[c] == w[c] ? w[c] : 0.0f)",
       {},
       "NaN in a vector"},
      {"nothing is written where the result is NaN",
       kProduct,
       "if (scale == scale) y[c] = x[c] * scale * w[c]",
       {},
       "a second run"},
      {"huge values overflow", kSquare, "sum += x[c] * x[c] * 1e10f * 1e-10f", {}, "huge"},
      {"tiny values are flushed to zero",
       kProduct,
       "y[c] = hiptune::abs(w[c]) < 1e-12f ? 0.0f : x[c] * scale * w[c]",
       {},
       "tiny"},
  };
}

std::vector<Mutation> wrong_accesses() {
  std::vector<Mutation> all{
      {"the last column is not written", kWrite, "c < cols - 1; c += threads) y[c]", {}, kUnwritten},
      {"nothing is written", kProduct, "", {}, kUnwritten},
      {"a row is written one column too far", kWrite, "c <= cols; c += threads) y[c]", {}, "elements past its end"},
      after_row("the gap after a row is written",
                "if (thread == 0 && y_stride > cols && r + 1 < rows) y[r * y_stride + cols] = 0.0f;",
                "y: wrote in the gap after row 0"),
      after_row("the guard before the output is written", "if (thread == 0 && r == 0) y[-1] = 0.0f;",
                "y: wrote 4 bytes before its first element"),
      after_row("the guard behind an input is written",
                "if (thread == 0 && r == 0) const_cast<scalar_t*>(w)[cols] = 0.0f;",
                "w: wrote 1 elements past its end"),
      after_row("an input is modified", "if (thread == 0) const_cast<scalar_t*>(x)[r * x_stride] = 0.5f;",
                "x: an input was modified"),
  };
  append(all, each({"the last row is skipped", "r < rows", "r < rows - 1", {}, kUnwritten}, 2));
  append(all, each({"the stride of x is ignored", "x + r * x_stride", "x + r * cols"}, 4));
  append(all, each({"the stride of x is ignored by whole vectors",
                    "x + r * x_stride",
                    "x + r * (cols % 4 == 0 ? cols : x_stride)",
                    {},
                    "rows=7 cols=256"},
                   4));
  append(all, each({"the stride of x is that of y", "x + r * x_stride", "x + r * y_stride"}, 4));
  append(all, each({"the stride of y is that of x", "y + r * y_stride", "y + r * x_stride"}, 2));
  append(all, each({"the stride of y is ignored", "y + r * y_stride", "y + r * cols"}, 2));
  append(all, each({"the weight is indexed like x", "x_stride, w, y", "x_stride, w + r * cols, y"}, 2));
  append(all, each(with_far_rows({"the offset of a row of x is kept in 32 bits",
                                  "x + r * x_stride",
                                  "x + static_cast<int>(r) * static_cast<int>(x_stride)",
                                  {},
                                  "2^31 elements apart"}),
                   4));
  append(all, each(with_far_rows({"the offset of a row of y is kept in 32 bits",
                                  "y + r * y_stride",
                                  "y + static_cast<int>(r * y_stride)",
                                  {},
                                  "2^31 elements apart"}),
                   2));
  append(all, each({"the weight is indexed by row", "x_stride, w, y", "x_stride, w + r, y"}, 2));
  append(all,
         {{"the output is kept where it is no NaN",
           kProduct,
           "if (y[c] != y[c]) y[c] = x[c] * scale * w[c]",
           {},
           "in a second run only"},
          {"the product is added to what the output held", kProduct, "y[c] += x[c] * scale * w[c]", {}, kUnwritten},
          {"the sum reads past the end of a row", kSum, "c < cols + 1; c += threads) sum", {}, kUnwritten},
          {"a weight past the end is read", kProduct, "y[c] = x[c] * scale * w[c] + 0.0f * w[cols]", {}, kUnwritten}});
  append(all, {{"a block has one row only", "r += gridDim.x", "r += rows", {}, kUnwritten},
               {"a thread has one row only", "r += threads", "r += rows", {}, kUnwritten}});
  return all;
}

std::vector<Mutation> wrong_reductions() {
  std::vector<Mutation> all{
      {"the tail sums what the tree has not summed", "hiptune::wave_sum(lds[thread])", "hiptune::wave_sum(sum)"},
      {"the tail leaves out a lane", "hiptune::wave_sum(lds[thread])",
       "hiptune::wave_sum(thread == width - 1 ? 0.0f : lds[thread])"},
      {"the tail sums one lane's value", "hiptune::wave_sum(lds[thread])", "hiptune::wave_sum(lds[0])"},
      {"the wave's sum is not kept", "if (thread == 0) lds[0] = sum;", ""},
      on_host({"the tail has the other device's wave width", "WAVE_SIZE < BLOCK_SIZE ? WAVE_SIZE : BLOCK_SIZE",
               "96 - WAVE_SIZE"}),
      {"the tree ends a step early", "stride > 0", "stride > 1"},
      {"the tree ends a step early, before the tail", "stride >= width", "stride > width"},
      on_host(
          {"sums are read that nobody wrote", "const float partial = ", "const float partial = 0.0f * lds[thread] + "}),
      on_host(after_row("a row reads the result of the row before",
                        "if (thread == 0 && r > 0) y[r * y_stride] += 0.0f * y[(r - 1) * y_stride];", "")),
      on_host(after_row(
          "the last of several writers wins, by one unit in the last place",
          "y[r * y_stride] = x[r * x_stride] * scale_of(sum, cols, epsilon) * w[0] * (thread % 2 ? 1.0000001f : 1);",
          "in a second run only")),
  };
  append(all, each({"the tree leaves out threads", "int stride = BLOCK_SIZE / 2", "int stride = BLOCK_SIZE / 4"}, 2));
  append(all, each(on_host({"the tree reads one beyond", "lds[thread + stride]", "lds[thread + stride + 1]"}), 2));
  append(
      all,
      each({"a sum of zero leaves the scratch stale", "lds[thread] = sum;", "if (sum != 0.0f) lds[thread] = sum;"}, 2));
  append(all, each({"threads return sums of their own", "return lds[0];", "return lds[thread];"}, 2));
  return all;
}

std::vector<Mutation> divergences() {
  std::vector<Mutation> all{
      {"half of the wave shuffles", "if (thread < width) {", "if (thread < width / 2) {", {}, "divergent shuffle"},
      {"every other lane shuffles",
       "sum = hiptune::wave_sum",
       "if (thread % 2 == 0) sum = hiptune::wave_sum",
       {},
       "divergent shuffle"},
      {"the tail is narrower than a wave",
       "WAVE_SIZE < BLOCK_SIZE ? WAVE_SIZE : BLOCK_SIZE",
       "WAVE_SIZE / 2",
       {},
       "divergent shuffle"},
      {"half of the block meets in the tree", kBarrier, "if (thread < BLOCK_SIZE / 2) " + kBarrier, 1,
       "divergent barrier"},
      {"half of the block meets before the tail", kBarrier, "if (thread < BLOCK_SIZE / 2) " + kBarrier, 3,
       "divergent barrier"},
      {"threads without a column return early", "const int thread = static_cast<int>(threadIdx.x);",
       "const int thread = static_cast<int>(threadIdx.x); if (thread >= cols) return;"},
  };
  for (Mutation& mutation : all) mutation.only_on_host = true;
  return all;
}

std::vector<Mutation> missing_barriers(const std::string& text) {
  return each(on_host({"a barrier is missing", kBarrier, ";"}), count_of(kBarrier, text));
}

}  // namespace hiptune::test
