// Normalises the rows of a matrix with the best RMSNorm kernel that the cache knows for this shape, and compares the
// result with the formula. Runs on the CPU device, whose memory is the program's own.
//
//   normalize [ROWS COLS]
#include <hiptune/hiptune.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace {

constexpr float kEpsilon = 1e-5f;

std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return uniform(random); });
  return values;
}

// The largest |y - expected| / |expected|, the formula computed in double.
double largest_error(const float* x, const float* w, const float* y, std::int64_t rows, std::int64_t cols) {
  double largest = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < cols; ++c) sum += static_cast<double>(x[r * cols + c]) * x[r * cols + c];
    const double scale = 1 / std::sqrt(sum / static_cast<double>(cols) + kEpsilon);
    for (std::int64_t c = 0; c < cols; ++c) {
      const double expected = x[r * cols + c] * scale * w[c];
      const double error = std::abs(y[r * cols + c] - expected);
      largest = std::max(largest, std::isnan(error) ? INFINITY : expected == 0 ? error : error / std::abs(expected));
    }
  }
  return largest;
}

int normalize(std::int64_t rows, std::int64_t cols) {
  hiptune::Options options = hiptune::Options::from_environment();
  options.device = "host";
  const hiptune::Dispatcher dispatcher(options);

  // The kernel's arguments in order: x, w, y, rows, cols, x_stride, y_stride, epsilon.
  const auto rmsnorm = dispatcher.bind<const float*, const float*, float*, std::int64_t, std::int64_t, std::int64_t,
                                       std::int64_t, float>("rmsnorm", "f32");

  const std::vector<float> x = random_values(rows * cols, 1), w = random_values(cols, 2);
  std::vector<float> y(x.size());
  const hiptune::Explanation choice = rmsnorm.explain(x.data(), w.data(), y.data(), rows, cols, cols, cols, kEpsilon);
  std::cout << "configuration: " << choice.config << " (" << choice.reason << ")\n";

  const hiptune::Status status = rmsnorm(nullptr, x.data(), w.data(), y.data(), rows, cols, cols, cols, kEpsilon);
  if (status != hiptune::Status::success) {
    std::cerr << hiptune::to_string(status) << " " << hiptune::last_error() << "\n";
    return 1;
  }
  const double error = largest_error(x.data(), w.data(), y.data(), rows, cols);
  std::cout << rows << " x " << cols << ": largest relative error " << error << "\n";
  // A sum of `cols` terms in f32 errs by at most cols / 2 roundings of the root, and a few more follow.
  return error <= (static_cast<double>(cols) / 2 + 8) * 0x1p-24 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return normalize(argc > 2 ? std::atoll(argv[1]) : 1024, argc > 2 ? std::atoll(argv[2]) : 4096);
  } catch (const hiptune::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
