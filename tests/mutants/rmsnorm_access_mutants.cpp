#include "mutants/rmsnorm_mutation.hpp"

#include <stdexcept>

namespace hiptune::test {

Mutations wrong_accesses() {
  Mutations all{
      in("registers", {"a row is written one column too far", kTailWritten,
                       kTailWritten + " if (share.thread + 1 == share.tail) share.y[c + 1] = share.y[c];"}),
      in("registers", {"the tail is a column too long", "bool has_tail() const { return thread < tail; }",
                       "bool has_tail() const { return thread <= tail; }"}),
      in("registers", {"a row has a vector too many", "return k * kStep < vectors;", "return k * kStep <= vectors;"}),
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
      in("registers", {"the last row is skipped", "while (first < rows)", "while (first < rows - 1)", {}, kUnwritten}),
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
  const std::string of_wave = "if (hiptune::lane() == 0) lds[wave_of(thread)] = sum;";
  Mutations all{
      in("rows", {"rows of a wave are summed together", "hiptune::group_sum<ROW_THREADS>(sum)",
                  "hiptune::group_sum<WAVE_SIZE>(sum)"}),
      in("rows", {"half of a row's threads are summed", "hiptune::group_sum<ROW_THREADS>(sum)",
                  "hiptune::group_sum<ROW_THREADS / 2>(sum)"}),
      in("registers", {"half of a wave is summed", "sum = hiptune::group_sum<WAVE_SIZE>(sum);",
                       "sum = hiptune::group_sum<WAVE_SIZE / 2>(sum);", 1}),
      in("registers", {"only the first wave is summed", "lds[hiptune::lane() & (kRowWaves - 1)]", "lds[0]"}),
      on_host(in("registers", {"waves have the other device's width", of_wave,
                               "if (hiptune::lane() == 0) lds[thread / (96 - WAVE_SIZE)] = sum;"})),
      on_host(in("registers", {"a wave's sum of zero leaves the scratch stale",
                               of_wave,
                               "if (hiptune::lane() == 0 && sum != 0.0f) lds[wave_of(thread)] = sum;",
                               {},
                               kUnwritten})),
      on_host(in("held", {"rows of a loop use one half of the scratch", "half = 1 - half;", ";"})),
      on_host(in("held", {"the halves of the scratch overlap", "scratch = sums + half * kReductionFloats;",
                          "scratch = sums + half;"})),
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
      in("tree", {"threads without a vector leave the loop", "const float sum = sum_of_row(",
                  "if (share.vectors <= 0) break; const float sum = sum_of_row(", 2}),
      in("block", {"threads without a column return early", thread_in_block,
                   thread_in_block + " if (thread >= cols) return;", 2}),
  };
  for (Mutation& mutation : all) mutation.only_on_host = true;
  return all;
}

Mutations missing_barriers(const std::string& text) {
  // Not the last of the template's eight: of rmsnorm_reduce's threads the first alone uses the sum, and nobody else
  // reads or writes lds[0] after the tree's own last barrier.
  const std::vector<std::string> settings{"tree",      "tree",      "shuffle tail", "shuffle tail",
                                          "registers", "registers", "block"};
  if (count_of(kBarrier, text) != static_cast<int>(settings.size()) + 1)
    throw std::invalid_argument("RMSNorm's barriers have changed: look at what the mutants of them name");
  return each(on_host({"a barrier is missing", kBarrier, ";"}), settings);
}

Mutations hidden_faults() {
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
                                 "if (hiptune::lane() == 0) lds[wave_of(thread)] = sum;",
                                 "lds[wave_of(thread)] = sum;",
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
                             "if (share.has(k)) w = load_vector<kWidth>",
                             "w = load_vector<kWidth>",
                             {},
                             "out of bounds: "}),
      for_precheck("lds", {"vectors are copied to LDS that there are not", "if (share.has(REGISTER_VECTORS + k))", "",
                           1, "out of bounds: "}),
      for_precheck("ahead", {"the row behind the last is loaded ahead",
                             kIsRow,
                             "ROWS_PER_BLOCK == 1 || first + row < rows;",
                             {},
                             "out of bounds: "}),
      for_precheck("read again", {"weights of a batch are loaded that there are not",
                                  "if (share.has(k)) w = load_vector<kWidth>",
                                  "w = load_vector<kWidth>",
                                  {},
                                  "out of bounds: "}),
      for_precheck("read again", {"what a batch does not have is read",
                                  "if (share.has(k)) x = load_vector<kWidth, cache>",
                                  "x = load_vector<kWidth, cache>",
                                  {},
                                  "out of bounds: "}),
  };
}

}  // namespace hiptune::test
