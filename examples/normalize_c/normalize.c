/* Normalises the rows of a matrix with the best RMSNorm kernel that the cache knows for this shape, from C, and
 * compares the result with the formula. Runs on the CPU device, whose memory is the program's own.
 *
 *   normalize_c [ROWS COLS]
 */
#include <hiptune/hiptune.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct matrices {
  int64_t rows, cols;
  float *x, *w, *y;
};

/* From -1 to 1, by the constants of Numerical Recipes' linear congruential generator. */
static void fill(float* values, int64_t count, uint32_t seed) {
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

static int allocate(struct matrices* m) {
  m->x = malloc((size_t)(m->rows * m->cols) * sizeof(float));
  m->w = malloc((size_t)m->cols * sizeof(float));
  m->y = malloc((size_t)(m->rows * m->cols) * sizeof(float));
  if (m->x == NULL || m->w == NULL || m->y == NULL) return 0;
  fill(m->x, m->rows * m->cols, 1);
  fill(m->w, m->cols, 2);
  return 1;
}

/* The largest |y - expected| / |expected|, the formula computed in double. */
static double largest_error(const struct matrices* m, float epsilon) {
  double largest = 0;
  for (int64_t r = 0; r < m->rows; ++r) {
    const float *x = m->x + r * m->cols, *y = m->y + r * m->cols;
    double sum = 0;
    for (int64_t c = 0; c < m->cols; ++c) sum += (double)x[c] * x[c];
    const double scale = 1 / sqrt(sum / (double)m->cols + epsilon);
    for (int64_t c = 0; c < m->cols; ++c) {
      const double expected = x[c] * scale * m->w[c];
      const double error = fabs(y[c] - expected) / (expected == 0 ? 1 : fabs(expected));
      if (!(error <= largest)) largest = isnan(error) ? INFINITY : error;
    }
  }
  return largest;
}

static int failed(const char* what, int status) {
  fprintf(stderr, "%s: %s %s\n", what, hiptune_status_text(status), hiptune_last_error());
  return 1;
}

static int normalize(const hiptune_kernel* rmsnorm, struct matrices* m) {
  float epsilon = 1e-5f;
  /* The kernel's arguments in order: x, w, y, rows, cols, x_stride, y_stride, epsilon; of each the address. */
  void* arguments[] = {&m->x, &m->w, &m->y, &m->rows, &m->cols, &m->cols, &m->cols, &epsilon};
  char explanation[1000];
  int status = hiptune_explain(rmsnorm, arguments, explanation, sizeof explanation, NULL);
  if (status != HIPTUNE_SUCCESS) return failed("explain", status);
  printf("%s", explanation);
  status = hiptune_launch(rmsnorm, NULL, arguments);
  if (status != HIPTUNE_SUCCESS) return failed("launch", status);
  const double error = largest_error(m, epsilon);
  printf("%lld x %lld: largest relative error %g\n", (long long)m->rows, (long long)m->cols, error);
  /* A sum of `cols` terms in f32 errs by at most cols / 2 roundings of the root, and a few more follow. */
  return error <= ((double)m->cols / 2 + 8) / 16777216 ? 0 : 1;
}

int main(int argc, char** argv) {
  struct matrices m = {argc > 2 ? atoll(argv[1]) : 1024, argc > 2 ? atoll(argv[2]) : 4096, NULL, NULL, NULL};
  hiptune_dispatcher* dispatcher = NULL;
  hiptune_kernel* rmsnorm = NULL;
  int code = 1;
  int status = hiptune_open("host", NULL, NULL, &dispatcher);
  if (status == HIPTUNE_SUCCESS) status = hiptune_bind(dispatcher, "rmsnorm", "f32", NULL, 0, &rmsnorm);
  if (status != HIPTUNE_SUCCESS)
    failed("bind", status);
  else if (m.rows < 1 || m.cols < 1 || !allocate(&m))
    fprintf(stderr, "no memory for the matrices\n");
  else
    code = normalize(rmsnorm, &m);
  hiptune_release(rmsnorm);
  hiptune_close(dispatcher);
  free(m.x);
  free(m.w);
  free(m.y);
  return code;
}
