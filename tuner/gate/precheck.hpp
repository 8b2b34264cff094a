#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gate/gate.hpp"

namespace hiptune {

struct PrecheckVerdict {
  enum class Outcome { passed, rejected, impossible };  // impossible: the CPU cannot run this configuration
  Outcome outcome = Outcome::passed;
  std::string detail;  // empty when passed

  [[nodiscard]] bool is_rejected() const { return outcome == Outcome::rejected; }
};
[[nodiscard]] std::string to_string(PrecheckVerdict::Outcome outcome);
// "passed", "rejected: …"
[[nodiscard]] std::string to_string(const PrecheckVerdict& verdict);
// Throws std::invalid_argument for other text.
[[nodiscard]] PrecheckVerdict::Outcome parse_precheck_outcome(const std::string& text);

// Runs variants on the CPU, at small shapes that cover the branches, under what a GPU does not tell: each access of
// memory against the bounds of its buffer, races within and between blocks, inaccessible pages behind and before the
// buffers, and threads and blocks forward, backward and shuffled. For one thread. An access that meets a page ends the
// process.
class Precheck {
 public:
  // `target` is what the variants are for: they see its wave size and its LDS. `host` is the oracle's machine. Throws
  // what Oracle throws.
  Precheck(const Kernel& kernel, const Problem& problem, const TargetFacts& target, Device& host,
           Compiler& host_compiler, const std::string& temporary_directory, std::uint64_t seed);
  ~Precheck();

  // `phase` is told what runs: the last words when a page is met.
  [[nodiscard]] PrecheckVerdict check(const Config& config, const std::function<void(const std::string&)>& phase);

 private:
  struct Stage;
  [[nodiscard]] PrecheckVerdict check(Stage& stage, const Config& config, const Variant& variant,
                                      const CompileResult& compiled);

  const Kernel* kernel_;
  Problem problem_;
  TargetFacts facts_;
  Compiler* compiler_;
  bool covers_tuned_extents_ = false;  // else what passes need not be right at the shape that is tuned
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace hiptune
