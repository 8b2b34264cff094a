#include "mutants/rmsnorm_mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include <spdlog/fmt/fmt.h>

#include "gate_bench.hpp"
#include "present_devices.hpp"

// Every planted fault of RMSNorm must be called wrong by the gate, on both wave sizes of the CPU, and on each GPU that
// is there if it is no matter of chance.
namespace hiptune::test {
namespace {

// One row of the table of mutants: what caught it first, in the gate's words, and in how many configurations.
void print_row(const std::string& device, const Mutation& mutation, int rejected, int changed,
               const std::string& caught) {
  std::cout << fmt::format("  {:<13} {:<74} {} of {:<2} {:.110}\n", device, mutation.name, rejected, changed, caught);
}

// A mutation of code that a configuration does not use leaves its machine code as it was, and there is nothing to
// catch; but it must change some configuration's.
class RmsnormMutants : public testing::TestWithParam<std::string> {
 protected:
  RmsnormMutants()
      : bench_(GetParam()),
        on_host_(bench_.gate(kernel_, problem_, true, Judged::on_host)),
        on_device_(bench_.gate(kernel_, problem_, true, Judged::on_device)),
        has_far_rows_(on_host_.runs_far_rows()) {
    for (const Config& config : all_configs(kernel_.space, {{"BLOCK_SIZE", std::int64_t{128}}})) {
      configs_.push_back(config);
      original_.push_back(compile(kernel_.source, config).isa_hash);
    }
  }

  void expect_rejected(const std::vector<Mutation>& mutations) {
    for (const Mutation& mutation : mutations) {
      if (!is_on_host() && mutation.only_on_host) continue;
      if (mutation.needs_far_rows && !has_far_rows_)
        std::cout << "  " << GetParam() << ": left out, the device has no room for it: " << mutation.name << "\n";
      else
        expect_rejected(mutation);
    }
  }

  [[nodiscard]] std::optional<std::string> failure_of(Gate& gate, const CodeObject& code, const Config& config) const {
    LoadedPlan plan(*bench_.device, code, make_plan(kernel_.space, problem_, bench_.facts(), config));
    return gate.check(plan, config).failure;
  }

  [[nodiscard]] CodeObject compile(const SourceFile& source, const Config& config) const {
    Variant variant = make_variant(kernel_, problem_, bench_.facts(), config);
    variant.source = source;
    return bench_.compile(variant);
  }

  [[nodiscard]] bool is_on_host() const { return bench_.device->target().backend == "host"; }

  [[nodiscard]] SourceFile mutant(const Mutation& mutation) const {
    return {kernel_.source.name, mutate(kernel_.source.text, mutation)};
  }

  const Kernel kernel_ = shipped_kernel("rmsnorm");
  const Problem problem_ = make_problem(kernel_.space, {3, 13}, Dtype::f32, {});
  const GateBench bench_;
  // Results are compared in two ways, and each must catch everything.
  Gate on_host_, on_device_;
  bool has_far_rows_;
  std::vector<Config> configs_;

 private:
  void expect_rejected(const Mutation& mutation) {
    const SourceFile source = mutant(mutation);
    int changed = 0, rejected = 0;
    std::string caught;
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      const CodeObject code = compile(source, configs_[i]);
      if (code.isa_hash == original_[i]) continue;
      ++changed;
      const auto failure = failure_of(on_device_, code, configs_[i]);
      for (const auto& one : {failure, failure_of(on_host_, code, configs_[i])}) {
        EXPECT_TRUE(one) << "survived: " << mutation.name << ", " << to_string(configs_[i]);
        EXPECT_THAT(one.value_or(""), testing::HasSubstr(mutation.caught_by)) << mutation.name;
      }
      if (caught.empty()) caught = failure.value_or("nothing: it survived");
      if (failure) ++rejected;
    }
    print_row(GetParam(), mutation, rejected, changed, caught);
    EXPECT_GT(changed, 0) << "changes no configuration: " << mutation.name;
  }

  std::vector<std::string> original_;  // hashes of the unmutated template's machine code
};

TEST_P(RmsnormMutants, wrong_formulas_are_rejected) { expect_rejected(wrong_formulas()); }
TEST_P(RmsnormMutants, wrong_accesses_are_rejected) { expect_rejected(wrong_accesses()); }
TEST_P(RmsnormMutants, wrong_reductions_are_rejected) { expect_rejected(wrong_reductions()); }
TEST_P(RmsnormMutants, divergences_are_rejected) {
  if (!is_on_host()) GTEST_SKIP() << "undefined on a GPU";
  expect_rejected(divergences());
}
TEST_P(RmsnormMutants, every_barrier_is_needed) {
  if (!is_on_host()) GTEST_SKIP() << "a matter of chance on a GPU";
  const std::vector<Mutation> mutations = missing_barriers(kernel_.source.text);
  EXPECT_EQ(mutations.size(), 5u) << "RMSNorm's barriers have changed: look at what the tests of divergence name";
  expect_rejected(mutations);
}

// Else the gate would reject whatever is changed.
TEST_P(RmsnormMutants, a_change_that_rounds_differently_passes) {
  const SourceFile source = mutant({"", "x[c] * scale * w[c]", "x[c] * (w[c] * scale)"});
  for (const Config& config : configs_)
    for (Gate* gate : {&on_host_, &on_device_})
      EXPECT_EQ(failure_of(*gate, compile(source, config), config), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Devices, RmsnormMutants, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
