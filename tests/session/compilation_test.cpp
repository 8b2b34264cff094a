#include "session/compilation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session_bench.hpp"

namespace hiptune {
namespace {

// Says of each entry point that it spills so many registers; none: it cannot tell.
class SpillingCompiler : public Compiler {
 public:
  explicit SpillingCompiler(std::vector<std::optional<int>> spilled) : spilled_(std::move(spilled)) {}
  [[nodiscard]] std::string version() const override { return "made up"; }
  [[nodiscard]] TargetFacts facts(const std::string&) override { return {}; }
  [[nodiscard]] CompileResult compile(const CompileRequest&) override {
    CodeObject code{{std::byte{1}}, "the isa", {}};
    for (const auto& spilled : spilled_) code.resources.push_back({64, std::nullopt, 0, 0, spilled});
    return code;
  }

 private:
  std::vector<std::optional<int>> spilled_;
};

// A kernel of two launches.
class CompilationOfSpills : public testing::Test {
 protected:
  [[nodiscard]] Compilation compile(bool rejects_spills, std::vector<std::optional<int>> spilled) {
    kernel_.space.rejects_spills = rejects_spills;
    SpillingCompiler compiler(std::move(spilled));
    const Problem problem = make_problem(kernel_.space, {8, 16}, Dtype::f32, {});
    return compile_config(kernel_, problem, {}, kernel_.space.fallback, compiler, [](const std::string&) {});
  }
  void expect_compiled(const Compilation& compilation) {
    EXPECT_EQ(compilation.trial.outcome, Outcome::compiled) << compilation.trial.detail;
    EXPECT_TRUE(compilation.code);
  }

  Kernel kernel_ = KernelPath({test::source_folder() / "tests/gate/kernels"}, {}).load("scale_rows");
};

TEST_F(CompilationOfSpills, a_variant_that_spills_is_invalid_where_the_space_rejects_it) {
  const Compilation compilation = compile(true, {0, 12});
  EXPECT_EQ(compilation.trial.outcome, Outcome::invalid);
  EXPECT_EQ(compilation.trial.detail, "apply_factors spills 12 registers");
  EXPECT_FALSE(compilation.code) << "it must not run";
  ASSERT_EQ(compilation.trial.resources.size(), 2U) << "what it needs is told all the same";
  EXPECT_EQ(compilation.trial.resources[1].spilled_registers, 12);
  EXPECT_EQ(compilation.trial.isa_hash, "the isa");
}

TEST_F(CompilationOfSpills, the_first_entry_point_that_spills_is_named) {
  EXPECT_EQ(compile(true, {3, 12}).trial.detail, "row_factors spills 3 registers");
}

TEST_F(CompilationOfSpills, one_that_does_not_spill_or_whose_compiler_cannot_tell_is_valid) {
  expect_compiled(compile(true, {0, 0}));
  expect_compiled(compile(true, {std::nullopt, std::nullopt}));
}

TEST_F(CompilationOfSpills, elsewhere_a_spill_is_the_variant_s_own_loss) { expect_compiled(compile(false, {0, 12})); }

}  // namespace
}  // namespace hiptune
