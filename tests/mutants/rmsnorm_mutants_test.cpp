#include "mutants/rmsnorm_mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include <spdlog/fmt/fmt.h>

#include "gate/precheck.hpp"
#include "gate_bench.hpp"
#include "mutants/rmsnorm_settings.hpp"
#include "present_devices.hpp"

// Every planted fault of RMSNorm must be called wrong by the gate, on both wave sizes of the CPU, and on each GPU that
// is there if it is no matter of chance; one that leaves results right must be called wrong by the precheck.
namespace hiptune::test {
namespace {

// Without the problem's dtype and traits: the setting says them.
std::string in_brief(std::string failure) {
  const std::size_t begin = failure.find(" dtype="), last = failure.find("IN_PLACE=");
  if (begin == std::string::npos || last == std::string::npos) return failure;
  return failure.erase(begin, failure.find(' ', last) - begin);
}

// One row of the table of mutants: what caught it, in that check's words.
void print_row(const std::string& device, const Mutation& mutation, const std::string& caught) {
  std::cout << fmt::format("  {:<13} {:<9} {:<21} {:<66} {:.110}\n", device,
                           mutation.needs_precheck ? "precheck" : "gate", mutation.setting, mutation.name,
                           in_brief(caught));
}

class RmsnormMutants : public testing::TestWithParam<std::string> {
 protected:
  RmsnormMutants() : bench_(GetParam()) {}

  void expect_rejected(const Mutations& mutations) {
    for (const Mutation& mutation : mutations) {
      if (!is_on_host() && mutation.only_on_host) continue;
      if (mutation.needs_precheck)
        expect_rejected_by_precheck(mutation);
      else if (mutation.needs_far_rows && !stand(mutation.setting).on_host.runs_far_rows())
        std::cout << "  " << GetParam() << ": left out, the device has no room for it: " << mutation.name << "\n";
      else
        expect_rejected_by_gate(mutation);
    }
  }

  // A setting with what judges it. Results are compared in two ways, and each must catch everything.
  struct Stand {
    Problem problem;
    Config config;
    Gate on_host, on_device;
    std::string original;  // hash of the unmutated template's machine code
  };

  [[nodiscard]] Stand& stand(const std::string& name) {
    std::unique_ptr<Stand>& found = stands_[name];
    if (!found) found = make_stand(setting_named(name));
    return *found;
  }

  [[nodiscard]] std::optional<std::string> failure_of(Gate& gate, const CodeObject& code, const Stand& at) const {
    LoadedPlan plan(*bench_.device, code, make_plan(kernel_.space, at.problem, bench_.facts(), at.config));
    return gate.check(plan, at.config).failure;
  }

  [[nodiscard]] CodeObject compile(const SourceFile& source, const Problem& problem, const Config& config) const {
    Variant variant = make_variant(kernel_, problem, bench_.facts(), config);
    variant.source = source;
    return bench_.compile(variant);
  }

  [[nodiscard]] bool is_on_host() const { return bench_.device->target().backend == "host"; }

  [[nodiscard]] SourceFile mutant(const Mutation& mutation) const {
    return {kernel_.source.name, mutate(kernel_.source.text, mutation)};
  }

  const Kernel kernel_ = shipped_kernel("rmsnorm");

 private:
  [[nodiscard]] std::unique_ptr<Stand> make_stand(const Setting& setting) const {
    const Problem problem = setting.problem(kernel_.space);
    const Config config = setting.full_config(kernel_.space);
    auto made = std::make_unique<Stand>(Stand{problem,
                                              config,
                                              {kernel_, *bench_.device, *bench_.compiler},
                                              {kernel_, *bench_.device, *bench_.compiler},
                                              compile(kernel_.source, problem, config).isa_hash});
    for (GateCase& one : bench_.cases(kernel_, problem, true)) {
      if (!one.rows_far_apart) made->on_device.add(one, Judged::on_device);
      made->on_host.add(std::move(one), Judged::on_host);
    }
    return made;
  }

  // What each way of judging says; where rows must be far apart there is one.
  [[nodiscard]] std::vector<std::optional<std::string>> failures_of(const Mutation& mutation, const CodeObject& code,
                                                                    Stand& at) const {
    std::vector<std::optional<std::string>> failures{failure_of(at.on_host, code, at)};
    if (!mutation.needs_far_rows) failures.push_back(failure_of(at.on_device, code, at));
    return failures;
  }

  void expect_rejected_by_gate(const Mutation& mutation) {
    Stand& at = stand(mutation.setting);
    const CodeObject code = compile(mutant(mutation), at.problem, at.config);
    EXPECT_NE(code.isa_hash, at.original) << "changes nothing that " << mutation.setting << " uses: " << mutation.name;
    const auto failures = failures_of(mutation, code, at);
    for (const auto& failure : failures) {
      EXPECT_TRUE(failure) << "survived: " << mutation.name << ", " << mutation.setting;
      EXPECT_THAT(failure.value_or(""), testing::HasSubstr(mutation.caught_by)) << mutation.name;
    }
    print_row(GetParam(), mutation, failures.back().value_or("nothing: it survived"));
  }

  void expect_rejected_by_precheck(const Mutation& mutation) {
    const Setting& setting = setting_named(mutation.setting);
    Kernel kernel = kernel_;
    kernel.source = mutant(mutation);
    Precheck precheck(kernel, setting.problem(kernel.space), bench_.facts(), *bench_.host, *bench_.host_compiler,
                      std::filesystem::temp_directory_path().string(), GateBench::kSeed);
    int phases = 0;
    const PrecheckVerdict verdict =
        precheck.check(setting.full_config(kernel.space), [&](const std::string&) { ++phases; });
    EXPECT_TRUE(verdict.is_rejected()) << "survived: " << mutation.name << ", " << mutation.setting;
    EXPECT_THAT(verdict.detail, testing::HasSubstr(mutation.caught_by)) << mutation.name;
    EXPECT_EQ(phases, 1) << "the first stage names what the others would die of: " << mutation.name;
    print_row(GetParam(), mutation, verdict.detail);
  }

  const GateBench bench_;
  std::map<std::string, std::unique_ptr<Stand>> stands_;
};

TEST_P(RmsnormMutants, wrong_formulas_are_rejected) { expect_rejected(wrong_formulas()); }
TEST_P(RmsnormMutants, wrong_special_values_are_rejected) { expect_rejected(wrong_special_values()); }
TEST_P(RmsnormMutants, wrong_roundings_are_rejected) { expect_rejected(wrong_roundings()); }
TEST_P(RmsnormMutants, wrong_kept_rows_are_rejected) { expect_rejected(wrong_kept_rows()); }
TEST_P(RmsnormMutants, wrong_rereads_are_rejected) { expect_rejected(wrong_rereads()); }
TEST_P(RmsnormMutants, wrong_splits_are_rejected) { expect_rejected(wrong_splits()); }
TEST_P(RmsnormMutants, wrong_accesses_are_rejected) { expect_rejected(wrong_accesses()); }
TEST_P(RmsnormMutants, wrong_strides_are_rejected) { expect_rejected(wrong_strides()); }
TEST_P(RmsnormMutants, wrong_reductions_are_rejected) { expect_rejected(wrong_reductions()); }
TEST_P(RmsnormMutants, divergences_are_rejected) {
  if (!is_on_host()) GTEST_SKIP() << "undefined on a GPU";
  expect_rejected(divergences());
}
TEST_P(RmsnormMutants, every_barrier_is_needed) {
  if (!is_on_host()) GTEST_SKIP() << "a matter of chance on a GPU";
  expect_rejected(missing_barriers(kernel_.source.text));
}
TEST_P(RmsnormMutants, faults_that_leave_results_right_are_rejected_by_the_precheck) {
  if (!is_on_host()) GTEST_SKIP() << "the precheck runs on the CPU";
  expect_rejected(hidden_faults());
}

// Else the gate would reject whatever is changed.
TEST_P(RmsnormMutants, a_change_that_rounds_differently_passes) {
  const SourceFile source = mutant({"", "x * scale * hiptune::to_float(w)", "x * (scale * hiptune::to_float(w))"});
  for (const char* name : {"registers", "held", "split", "serial"}) {
    Stand& at = stand(name);
    const CodeObject code = compile(source, at.problem, at.config);
    EXPECT_NE(code.isa_hash, at.original) << name;
    for (Gate* gate : {&at.on_host, &at.on_device}) EXPECT_EQ(failure_of(*gate, code, at), std::nullopt) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RmsnormMutants, testing::ValuesIn(present_devices()), name_of_device);

}  // namespace
}  // namespace hiptune::test
