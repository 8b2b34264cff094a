#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cache/fingerprint.hpp"
#include "cache/made_up.hpp"
#include "cache/store.hpp"
#include "device/backends.hpp"
#include "hiptune/dispatcher.hpp"
#include "problem/config.hpp"
#include "problem/kernel.hpp"

// What the tests of this folder share: the CPU device, a cache of the test's own, and RMSNorm with its formula.
namespace hiptune::test {

inline Target host_target() { return open_device("host", {})->target(); }

// A folder with a cache and, where a test writes some, kernels.
class World {
 public:
  World() {
    options_.device = "host";
    options_.cache = folder_.path() / "cache";
    options_.kernel_paths = {test_kernels()};
  }

  [[nodiscard]] Options& options() { return options_; }
  [[nodiscard]] std::filesystem::path kernel_folder() const { return folder_.path() / "kernels"; }
  [[nodiscard]] std::filesystem::path other_cache() const { return folder_.path() / "other"; }
  [[nodiscard]] KernelPath path() const { return {options_.kernel_paths, {}}; }

  // The small kernels for tests that want just some kernel.
  [[nodiscard]] static std::filesystem::path test_kernels() { return HIPTUNE_SOURCE_DIR "/tests/kernels"; }

  // The three files of a test kernel, to be changed.
  void copy_kernel(const std::string& name) {
    std::filesystem::create_directories(kernel_folder());
    for (const std::string& file : {name + ".hip", name + ".reference.hip", name + ".json"})
      std::filesystem::copy_file(test_kernels() / file, kernel_folder() / file);
    take_own_kernels_first();
  }
  void write_kernel_file(const std::string& name, const std::string& text) {
    made_up::write_text(kernel_folder() / name, text);
    take_own_kernels_first();
  }

  // An entry as `tune` would have stored it now.
  [[nodiscard]] Record record(const std::string& kernel_name, const std::vector<std::int64_t>& dimensions,
                              const std::vector<std::string>& config, const std::vector<std::string>& traits = {}) {
    const Kernel kernel = path().load(kernel_name);
    const Problem problem =
        make_problem(kernel.space, dimensions, kernel.space.dtypes.front(), parse_traits(kernel.space, traits));
    Record record = made_up::record();
    record.dimensions.clear();
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      record.dimensions.emplace_back(kernel.space.dimensions[i].name, dimensions[i]);
    record.dtype = problem.dtype;
    record.traits = problem.traits;
    record.config = make_config(kernel.space, parse_tunables(kernel.space, config), "the test");
    record.ties.clear();
    record.baselines.clear();
    record.provenance.fingerprints = fingerprints_of(kernel);
    record.provenance.target = target_;
    return record;
  }
  void store(const std::string& kernel, const Record& record) { Store(options_.cache).put(key(kernel), record); }
  void tuned(const std::string& kernel, const std::vector<std::int64_t>& dimensions,
             const std::vector<std::string>& config, const std::vector<std::string>& traits = {}) {
    store(kernel, record(kernel, dimensions, config, traits));
  }
  [[nodiscard]] CacheKey key(const std::string& kernel) const { return cache_key(target_, kernel); }

 private:
  void take_own_kernels_first() { options_.kernel_paths = {kernel_folder(), test_kernels()}; }

  made_up::Folder folder_;
  Options options_;
  Target target_ = host_target();
};

using Rmsnorm =
    BoundKernel<const float*, const float*, float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, float>;

inline Rmsnorm bind_rmsnorm(const Dispatcher& dispatcher) {
  return dispatcher
      .bind<const float*, const float*, float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, float>(
          "row_rms", "f32");
}

// Matrices of one RMSNorm call, with values that no two elements share.
struct Matrices {
  std::int64_t rows, cols, stride;
  std::vector<float> x, w, y;

  Matrices(std::int64_t row_count, std::int64_t col_count, std::int64_t gap = 0)
      : rows(row_count), cols(col_count), stride(col_count + gap) {
    x.resize(static_cast<std::size_t>(rows * stride));
    w.resize(static_cast<std::size_t>(cols));
    y.assign(x.size(), std::nanf(""));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5f + static_cast<float>(i % 1013) / 1024;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = 1.0f - static_cast<float>(i % 509) / 512;
  }

  Status call(const Rmsnorm& rmsnorm) {
    return rmsnorm(nullptr, x.data(), w.data(), y.data(), rows, cols, stride, stride, 1e-5f);
  }
  [[nodiscard]] Explanation explain(const Rmsnorm& rmsnorm) {
    return rmsnorm.explain(x.data(), w.data(), y.data(), rows, cols, stride, stride, 1e-5f);
  }
  void prepare(const Rmsnorm& rmsnorm) {
    rmsnorm.prepare(x.data(), w.data(), y.data(), rows, cols, stride, stride, 1e-5f);
  }

  // Largest |y - formula| / |formula|; infinite where y was not written.
  [[nodiscard]] double error() const {
    double largest = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* row = x.data() + r * stride;
      double sum = 0;
      for (std::int64_t c = 0; c < cols; ++c) sum += static_cast<double>(row[c]) * row[c];
      const double scale = 1 / std::sqrt(sum / static_cast<double>(cols) + 1e-5);
      for (std::int64_t c = 0; c < cols; ++c) {
        const double expected = row[c] * scale * w[static_cast<std::size_t>(c)];
        const double off = std::abs(y[static_cast<std::size_t>(r * stride + c)] - expected) / std::abs(expected);
        largest = std::max(largest, std::isnan(off) ? INFINITY : off);
      }
    }
    return largest;
  }
};

// A sum of at most a few thousand terms, and a few roundings.
inline constexpr double kRightError = 1e-4;

}  // namespace hiptune::test
