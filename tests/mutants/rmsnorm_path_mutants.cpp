#include "mutants/rmsnorm_mutation.hpp"

namespace hiptune::test {

Mutations wrong_kept_rows() {
  const std::string written = "if (done.has(k)) write_vector(done, k, kept.registers[k], kept.weight(done, k), scale);";
  const std::string taken = "sum += kept.take(next, later, k);";
  Mutations all = in_each({"registers", "narrow", "rows", "read again, bf16"},
                          {"the tail is dropped", "if (!share.has_tail()) return;", "return;", {}, kUnwritten});
  append(all, in_each({"registers", "rows in LDS"},
                      {"the sum leaves out the tail", "float sum = square_of(kept.tail);", "float sum = 0.0f;"}));
  append(
      all,
      {in("registers", {"the last vector is dropped",
                        "vectors - first, tail, thread}",
                        "vectors - first - 1, tail, thread}",
                        {},
                        kUnwritten}),
       in("early", {"the first vector in registers is not summed", "k = 0; k < REGISTER_VECTORS; ++k) sum",
                    "k = 1; k < REGISTER_VECTORS; ++k) sum"}),
       in("registers", {"what follows the row is counted in the sum",
                        "if (share.has(k)) x = load_vector<kWidth, cache>", "x = load_vector<kWidth, cache>"}),
       in("lds", {"the first vector in LDS is not summed", "if (share.has(REGISTER_VECTORS + k)) sum",
                  "if (k > 0 && share.has(REGISTER_VECTORS + k)) sum"}),
       on_host(in("lds", {"vectors in LDS that the row does not have are summed",
                          "if (share.has(REGISTER_VECTORS + k)) sum",
                          "sum",
                          {},
                          kUnwritten})),
       in("lds", {"a thread's vectors overlap with the next thread's in LDS", "return lds + k * (kBlock * kWidth);",
                  "return lds + k * kWidth;"}),
       in("lds", {"what is kept in LDS begins among the sums", "reinterpret_cast<scalar_t*>(lds + kKeptOffset)",
                  "reinterpret_cast<scalar_t*>(lds)"}),
       in("lds", {"all of a thread's vectors in LDS are the first",
                  "copy_to_lds<kWidth, kLoad>(place(k), share.x + Share::offset(REGISTER_VECTORS + k))",
                  "copy_to_lds<kWidth, kLoad>(place(k), share.x + Share::offset(REGISTER_VECTORS))"}),
       in("rows in LDS", {"rows side by side share what is kept in LDS", "(lds + kKeptOffset) + threadIdx.x * kWidth;",
                          "(lds + kKeptOffset) + thread * kWidth;"}),
       in("rows in LDS", {"rows side by side share their scratch",
                          "one_barrier_sum(lds + row * kRowWaves, sum, thread)", "one_barrier_sum(lds, sum, thread)"}),
       in("rows",
          {"blocks step by one row, and not by as many as they have",
           "static_cast<int64>(blockIdx.x / SPLIT) * ROWS_PER_BLOCK", "static_cast<int64>(blockIdx.x / SPLIT)"}),
       in("rows", {"the last rows of a ragged block are skipped",
                   kIsRow,
                   "ROWS_PER_BLOCK == 1 || first + ROWS_PER_BLOCK <= rows;",
                   {},
                   kUnwritten}),
       in("ahead", {"the row that is loaded ahead is this one again", "all.share(first + 2 * step), kept, scale)",
                    "all.share(first), kept, scale)"}),
       in("ahead", {"from the fourth row of a block on, the row ahead is this one again",
                    "all.share(first + 2 * step), kept, scale)",
                    "all.share(half == 1 && first + 2 * step < rows ? first : first + 2 * step), kept, scale)"}),
       in("rows in LDS", {"blocks of several rows skip some where they loop",
                          "gridDim.x / SPLIT) * ROWS_PER_BLOCK;",
                          "gridDim.x / SPLIT) * (ROWS_PER_BLOCK + 1);",
                          {},
                          kUnwritten}),
       in("ahead", {"the row behind the first is loaded twice", "all.share(first + step), kept, 0.0f)",
                    "all.share(first), kept, 0.0f)"}),
       in("ahead",
          {"a vector that is ahead is not summed", taken, "if (k > 0) " + taken + " else kept.take(next, later, k);"}),
       in("ahead", {"the tail that is ahead is not summed", "return sum + square_of(kept.tail);", "return sum;"}),
       in("ahead", {"the tail that is ahead is written", "write_tail(done, kept, scale);\n  kept.load_tail(next);",
                    "kept.load_tail(next); write_tail(done, kept, scale);"}),
       in("ahead",
          {"a vector is taken before the last one is written", written + "\n    " + taken, taken + " " + written}),
       in("ahead", {"a vector too many is written",
                    written,
                    written + " else if (k == 1 && done.y != nullptr) " + written.substr(17),
                    {},
                    "wrote"}),
       on_host(in("ahead", {"the row after the next overwrites the next before it is taken",
                            "hiptune::wait_for_copies<REGISTER_VECTORS - 1>();", "send(later, k);"})),
       on_host(in("ahead",
                  {"stale vectors are taken from LDS", "if (next.has(k)) registers[k] = load_vector<kWidth>(place(k));",
                   "registers[k] = load_vector<kWidth>(place(k));"})),
       in("ahead, weights in LDS",
          {"weights in LDS lie among the rows", "(lds + kWeightsOffset)", "(lds + kKeptOffset)"}),
       in("ahead, weights in LDS", {"a thread's weights overlap with the next thread's in LDS",
                                    "return weights_lds + k * (kBlock * kWidth);", "return weights_lds + k * kWidth;"}),
       in("lds", {"batches that are written backwards begin behind the last",
                  "kBatches - 1 - batch",
                  "kBatches - batch",
                  {},
                  kUnwritten}),
       in("held", {"a persistent block has one row only", "first += step;", "first += rows;", {}, kUnwritten})});
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
      in("read again in place", {"the output is cleared before the tail is read for the last time", kTailWritten,
                                 "share.y[c] = hiptune::from_float<scalar_t>(0.0f); write_element(share.y[c], "
                                 "share.x[c], scale, share.w, c);"}),
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

}  // namespace hiptune::test
