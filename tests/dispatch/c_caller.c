/* A program in C would do just this; c_interface_test.cpp calls it. */
#include "dispatch/c_caller.h"

#include <stdint.h>
#include <string.h>

#include "hiptune/hiptune.h"

enum { kRows = 9, kCols = 7 };

static int is_right(const float* x, const float* y) {
  int r, c;
  for (r = 0; r < kRows; ++r) {
    float sum = 0;
    for (c = 0; c < kCols; ++c) sum += x[r * kCols + c];
    for (c = 0; c < kCols; ++c)
      if (y[r * kCols + c] != x[r * kCols + c] + sum) return 0;
  }
  return 1;
}

static const char* run_bound(const hiptune_kernel* kernel, char* explanation, size_t size) {
  float x[kRows * kCols], y[kRows * kCols];
  const float* from = x;
  float* to = y;
  int64_t rows = kRows, cols = kCols;
  void* arguments[] = {&from, &to, &rows, &cols};
  size_t i, length = 0;
  for (i = 0; i < kRows * kCols; ++i) x[i] = (float)(i % 13), y[i] = -1;
  if (hiptune_argument_count(kernel) != 4) return "there are not 4 arguments";
  if (strcmp(hiptune_argument_name(kernel, 2), "rows") != 0) return "argument 2 is not rows";
  if (hiptune_argument_name(kernel, 4) != NULL) return "there is an argument 4";
  if (hiptune_prepare(kernel, arguments) != HIPTUNE_SUCCESS) return hiptune_last_error();
  if (hiptune_launch(kernel, NULL, arguments) != HIPTUNE_SUCCESS) return hiptune_last_error();
  if (!is_right(x, y)) return "the result is wrong";
  if (hiptune_explain(kernel, arguments, explanation, size, &length) != HIPTUNE_SUCCESS) return hiptune_last_error();
  if (length != strlen(explanation)) return "the explanation's length is wrong";
  return hiptune_forget(kernel, NULL) == HIPTUNE_SUCCESS ? NULL : hiptune_last_error();
}

const char* c_caller_runs_two_step(const char* cache, const char* kernels, char* explanation, size_t size) {
  hiptune_dispatcher* dispatcher = NULL;
  hiptune_kernel* kernel = NULL;
  const char* wrong = NULL;
  if (hiptune_abi_version() != HIPTUNE_ABI_VERSION) return "the ABI is another";
  if (hiptune_open("host", cache, kernels, &dispatcher) != HIPTUNE_SUCCESS) return hiptune_last_error();
  if (strcmp(hiptune_device(dispatcher), "host") != 0) wrong = "the device is another";
  if (hiptune_bind(dispatcher, "two_step", "f32", NULL, 0, &kernel) != HIPTUNE_SUCCESS) wrong = hiptune_last_error();
  hiptune_close(dispatcher); /* the kernel outlives it */
  if (wrong == NULL) wrong = run_bound(kernel, explanation, size);
  hiptune_release(kernel);
  return wrong;
}
