// The shipped RMSNorm for GPUs, as far as a compiler shows it: a spread over types, traits and settings compiles. Needs
// no GPU.
#include <algorithm>
#include <set>

#include "device/bench.hpp"
#include "problem/config.hpp"
#include "problem/enumeration.hpp"
#include "problem/variant.hpp"
#include "search/covering.hpp"

namespace hiptune::device_tests {
namespace {

struct GpuTarget {
  const char* backend;
  const char* architecture;
};
std::ostream& operator<<(std::ostream& out, const GpuTarget& target) { return out << target.architecture; }

class Rmsnorm : public testing::TestWithParam<GpuTarget> {
 protected:
  void SetUp() override {
    try {
      compiler_ = open_compiler(GetParam().backend, {});
      facts_ = compiler_->facts(GetParam().architecture);
    } catch (const Error& error) {
      GTEST_SKIP() << "no compiler: " << error.what();
    }
  }

  [[nodiscard]] Problem problem(std::int64_t cols, Dtype dtype, const std::vector<std::string>& traits = {}) const {
    return make_problem(kernel_.space, {1024, cols}, dtype, parse_traits(kernel_.space, traits));
  }

  // Throws std::runtime_error with the compiler's words.
  [[nodiscard]] CodeObject compile(const Problem& problem, const Config& config) const {
    const Variant variant = make_variant(kernel_, problem, facts_, config);
    CompileResult result =
        compiler_->compile({variant.source, variant.headers, variant.entry_points, GetParam().architecture});
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(result));
  }

  const Kernel kernel_ = KernelPath({}, {}).load("rmsnorm");
  std::unique_ptr<Compiler> compiler_;
  TargetFacts facts_;
};

std::string name_of(const testing::TestParamInfo<GpuTarget>& info) { return info.param.architecture; }

// Problems that together have every dtype, every value of every trait, and rows of every kind of length.
struct Part {
  std::int64_t cols;
  Dtype dtype;
  std::vector<std::string> traits;
};
const std::vector<Part>& parts() {
  static const std::vector<Part> all{{4096, Dtype::f32, {}},
                                     {1024, Dtype::f32, {"WEIGHT=none", "ALIGN=8"}},
                                     {16384, Dtype::f16, {"WEIGHT=f32"}},
                                     {4096, Dtype::f16, {"IN_PLACE=yes"}},
                                     {128, Dtype::bf16, {"WEIGHT=none", "ALIGN=4"}},
                                     {8192, Dtype::bf16, {"WEIGHT=f32", "IN_PLACE=yes"}},
                                     {65536, Dtype::bf16, {}},
                                     {100, Dtype::f16, {"ALIGN=2"}}};
  return all;
}

class RmsnormCompiles : public Rmsnorm {};
INSTANTIATE_TEST_SUITE_P(Targets, RmsnormCompiles,
                         testing::Values(GpuTarget{"amd", "gfx90a"}, GpuTarget{"nvidia", "sm_90"}), name_of);

// The first of a covering set differ most; each problem takes others of them, so that schemes and reductions come by.
TEST_P(RmsnormCompiles, for_every_dtype_and_trait_in_a_spread_of_its_settings) {
  constexpr std::size_t kEach = 3;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < parts().size(); ++i) {
    const Part& part = parts()[i];
    const Problem one = problem(part.cols, part.dtype, part.traits);
    const std::vector<Config> configs = pairwise_covering(valid_configs(kernel_.space, one, facts_, {}).valid);
    ASSERT_GE(configs.size(), 10U);
    for (std::size_t j = 0; j < kEach; ++j) {
      const Config& config = configs[(i + j * parts().size()) % configs.size()];
      SCOPED_TRACE(to_string(kernel_.space, one) + " " + to_string(config));
      for (const auto& value : config) seen.insert(to_string(Assignment{value}));
      const CodeObject code = compile(one, config);
      ASSERT_EQ(code.resources.size(), make_variant(kernel_, one, facts_, config).entry_points.size());
      for (const Resources& resources : code.resources) EXPECT_THAT(resources.vgprs, testing::Optional(testing::Gt(0)));
    }
  }
  for (const char* value : {"SCHEME=fused", "REREAD=yes", "REREAD=no", "KEEP=stored", "REDUCTION=one_barrier"})
    EXPECT_THAT(seen, testing::Contains(value));
}

TEST_P(RmsnormCompiles, in_its_baselines_and_its_fallback) {
  const Problem one = problem(4096, Dtype::f32);
  for (const Baseline& baseline : kernel_.space.baselines) EXPECT_NO_THROW((void)compile(one, baseline.config));
  EXPECT_NO_THROW((void)compile(one, kernel_.space.fallback));
}

}  // namespace
}  // namespace hiptune::device_tests
